/** Writing facts: whoever does has locked their scopes, and reads what those before have written. */

import { idTaken } from '../../domain/error.ts';
import type { Fact } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeKey, type Scope } from '../../domain/scope.ts';
import type { FactDraft, FactTransaction, TimelineQuery } from '../../ports/fact-store.ts';
import type { PostgresTransaction } from './postgres-sending.ts';
import { readFact, scopeRows, writtenRows, type PostgresFactRow } from './postgres-fact-row.ts';
import {
  DELETE_EMPTY_SCOPES,
  DELETE_FACTS,
  INSERT_FACTS,
  LOCK_SCOPES_OF,
  OPEN_SCOPES,
  SELECT_BY_IDS,
  selectTimelines,
  UPDATE_FACTS,
} from './postgres-fact-statements.ts';
import type { Enter } from './postgres-users.ts';

interface Versioned {
  readonly fact_id: string;
  readonly version: number;
}

/** A fact is not there any more, although its scope is locked: its user is being erased. It is begun again. */
class Gone extends Error {
  readonly code = '40001';
}

export class PostgresFactTransaction implements FactTransaction {
  readonly #transaction: PostgresTransaction;
  readonly #principal: Principal;
  readonly #enter: Enter;
  readonly #opened = new Set<string>();

  /** `enter` is called before anything is written. */
  constructor(transaction: PostgresTransaction, principal: Principal, enter: Enter) {
    this.#transaction = transaction;
    this.#principal = principal;
    this.#enter = enter;
  }

  async find(ids: readonly string[]): Promise<Fact[]> {
    this.#transaction.send(LOCK_SCOPES_OF, [ids]);
    const { rows } = await this.#transaction.query<PostgresFactRow>(SELECT_BY_IDS, [ids]);
    return rows.map(readFact);
  }

  async timelines(queries: readonly TimelineQuery[]): Promise<Fact[]> {
    this.#openScopes(queries.map(({ scope }) => scope));
    const answers = await Promise.all(
      selectTimelines(queries).map(({ sql, values }) => this.#transaction.query<PostgresFactRow>(sql, values)),
    );
    const facts = answers.flatMap(({ rows }) => rows.map(readFact));
    return [...new Map(facts.map((fact) => [fact.factId, fact])).values()];
  }

  async insert(drafts: readonly FactDraft[]): Promise<Fact[]> {
    if (drafts.length === 0) return [];
    this.#openScopes(drafts);
    const stored = await this.#versions(INSERT_FACTS, drafts);
    return drafts.map((draft) => {
      const version = stored.get(draft.factId);
      if (version === undefined) throw idTaken(draft.factId);
      // Of two with the same id one was written.
      stored.delete(draft.factId);
      return { ...draft, version };
    });
  }

  async replace(drafts: readonly FactDraft[]): Promise<Fact[]> {
    if (drafts.length === 0) return [];
    this.#enter(this.#principal.userId);
    const stored = await this.#versions(UPDATE_FACTS, drafts);
    return drafts.map((draft) => {
      const version = stored.get(draft.factId);
      if (version === undefined) throw new Gone('A fact is gone.');
      return { ...draft, version };
    });
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    this.#enter(this.#principal.userId);
    const { rows } = await this.#transaction.query<{ scope_id: number }>(DELETE_FACTS, [ids]);
    const scopes = [...new Set(rows.map((row) => row.scope_id))];
    this.#transaction.send(DELETE_EMPTY_SCOPES, [scopes]);
  }

  /** Also those that hold nothing yet: else two who are the first to write there would not see each other. */
  #openScopes(scopes: readonly Scope[]): void {
    const unopened = scopes.filter((scope) => !this.#opened.has(scopeKey(scope)));
    if (unopened.length === 0) return;
    this.#enter(this.#principal.userId);
    this.#transaction.send(OPEN_SCOPES, [this.#principal.tenantId, scopeRows(unopened)]);
    for (const scope of unopened) this.#opened.add(scopeKey(scope));
  }

  async #versions(sql: string, drafts: readonly FactDraft[]): Promise<Map<string, number>> {
    const { rows } = await this.#transaction.query<Versioned>(sql, [writtenRows(drafts)]);
    return new Map(rows.map(({ fact_id, version }) => [fact_id, version]));
  }
}
