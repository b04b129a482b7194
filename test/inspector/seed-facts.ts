/** Facts for the world of the inspector: what a team knows of its services, and what of that has changed. */

import type { Memory } from '../../src/operations/memory.ts';
import type { OperationInput } from '../../src/operations/table.ts';

type Added = OperationInput<'facts.add'>;

const MS_PER_DAY = 86_400_000;

function daysAgo(days: number): string {
  return new Date(Date.now() - days * MS_PER_DAY).toISOString();
}

/** Of one's own: type, subject, predicate, object, since when in days, how certain. */
const OWN: readonly (readonly [string, string, string, string, number, number?])[] = [
  ['person', 'Ada', 'works_on', 'apollo', 55],
  ['person', 'Ada', 'member_of', 'platform team', 55],
  ['person', 'Ben', 'member_of', 'platform team', 54],
  ['person', 'Cleo', 'member_of', 'platform team', 20],
  ['person', 'Ben', 'on_call_for', 'payments', 30],
  ['person', 'Ada', 'reports_to', 'Dora', 50, 0.9],
  ['person', 'Dora', 'leads', 'platform team', 50],
  ['person', 'Dora', 'trusts', 'Ada', 44, 0.7],
  ['preference', 'Ada', 'prefers', 'white tea', 24, 0.8],
  ['place', 'Ada', 'lives_in', 'Lisbon', 48],
  ['place', 'platform team', 'meets_in', 'Lisbon', 40, 0.6],
  ['software', 'apollo', 'consists_of', 'api', 52],
  ['software', 'apollo', 'consists_of', 'payments', 52],
  ['software', 'apollo', 'consists_of', 'web', 52],
  ['software', 'payments', 'calls', 'ledger', 45],
  ['software', 'api', 'calls', 'payments', 45],
  ['software', 'payments', 'calls', 'api', 33, 0.75],
  ['software', 'web', 'calls', 'api', 45],
  ['software', 'api', 'written_in', 'TypeScript', 45],
  ['software', 'web', 'written_in', 'TypeScript', 45],
  ['software', 'ledger', 'written_in', 'Go', 45],
  ['software', 'ledger', 'owned_by', 'finance team', 41],
  ['software', 'payments', 'uses', 'redis', 28],
  ['software', 'api', 'uses', 'redis', 28],
];

/** One at a time holds, in this order. */
const CHANGING: readonly (readonly [string, string, string, string, number])[] = [
  ['deployment', 'api', 'runs_on', 'postgres-15', 50],
  ['deployment', 'api', 'runs_on', 'postgres-16', 25],
  ['deployment', 'api', 'runs_on', 'postgres-17', 5],
  ['deployment', 'ledger', 'runs_on', 'postgres-15', 45],
  ['deployment', 'ledger', 'runs_on', 'postgres-17', 12],
  ['deployment', 'web', 'hosted_at', 'Frankfurt', 45],
  ['deployment', 'web', 'hosted_at', 'Dublin', 8],
];

const PROJECT = { layer: 'project', identifiers: { projectId: 'apollo' } } as const;

const OF_PROJECT: readonly Added[] = [
  { factType: 'release', subject: 'apollo', predicate: 'ships_on', object: 'first Tuesday', ...PROJECT },
  { factType: 'release', subject: 'apollo', predicate: 'freezes_before', object: 'release day', ...PROJECT },
  { factType: 'release', subject: 'first Tuesday', predicate: 'is', object: 'release day', ...PROJECT },
];

export async function seedFacts({ facts }: Memory): Promise<void> {
  const own = OWN.map(([factType, subject, predicate, object, days, confidence = 1]) => ({
    factType,
    subject,
    predicate,
    object,
    confidence,
    validFrom: daysAgo(days),
    source: { type: 'conversation' as const },
  }));
  const changing = CHANGING.map(([factType, subject, predicate, object, days]) => ({
    factType,
    subject,
    predicate,
    object,
    validFrom: daysAgo(days),
    cardinality: 'one' as const,
  }));
  await facts.addMany({
    facts: [...own, ...changing, ...OF_PROJECT.map((fact) => ({ ...fact, validFrom: daysAgo(35) }))],
  });
}
