/** What the suites about facts write and read again and again. */

import type { Memory } from '../operations/memory.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';

export type FactInput = OperationInput<'facts.add'>;
export type ReadFact = NonNullable<OperationOutput<'facts.get'>>;

export const DAYS: readonly string[] = ['01', '02', '03', '04', '05', '06'].map((day) => `2026-01-${day}`);

export const dayOf = (day: string): string => `${day}T00:00:00.000Z`;

export const drinks = (object: string, more: Partial<FactInput> = {}): FactInput => ({
  factType: 'habit',
  subject: 'Ada',
  predicate: 'drinks',
  object,
  ...more,
});

export const objects = (facts: readonly ReadFact[]): string[] => facts.map(({ object }) => object);

/** The spans of what Ada drinks, as days, in their order. */
export async function timelineOf(facts: Memory['facts']): Promise<(string | null)[][]> {
  const { facts: found } = await facts.list({ subject: 'Ada', predicate: 'drinks', includeClosed: true });
  const sorted = found.toSorted((a, b) => (a.validFrom < b.validFrom ? -1 : 1));
  return sorted.map(({ object, validFrom, validTo }) => [
    object,
    validFrom.slice(0, 10),
    validTo && validTo.slice(0, 10),
  ]);
}
