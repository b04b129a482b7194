/** Facts as rows of PostgreSQL and back. */

import type { Fact } from '../../domain/fact.ts';
import type { FactDraft } from '../../ports/fact-store.ts';
import { audienceOf, columnsOf, factOf, scopeKeyOf, type FactRow } from '../sql/fact-row.ts';

export interface PostgresFactRow extends FactRow {
  readonly fact_id: string;
  readonly metadata: Fact['metadata'];
}

export function readFact(row: PostgresFactRow): Fact {
  return factOf(row.fact_id, row.metadata, row);
}

/** As the statements that write take them: JSON text. */
export function writtenRows(facts: readonly (FactDraft & Partial<Pick<Fact, 'version'>>)[]): string {
  return JSON.stringify(
    facts.map((fact) => ({
      ...columnsOf(fact),
      fact_id: fact.factId,
      scope_key: scopeKeyOf(fact),
      metadata: fact.metadata,
      version: fact.version,
    })),
  );
}

/** The scopes of these facts, each once; likewise. */
export function scopeRows(facts: readonly Pick<Fact, 'layer' | 'identifiers'>[]): string {
  const rows = facts.map((fact) => [scopeKeyOf(fact), { layer: fact.layer, audience: audienceOf(fact) }] as const);
  return JSON.stringify(Array.from(new Map(rows), ([key, scope]) => ({ key, ...scope })));
}
