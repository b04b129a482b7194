/** Writing facts in a tenant's file. Whoever is in a transaction there is alone in it. */

import { idTaken } from '../../domain/error.ts';
import type { Fact } from '../../domain/fact.ts';
import type { FactDraft, FactTransaction, TimelineQuery } from '../../ports/fact-store.ts';
import { audienceOf, columnsOf, HASH_COLUMNS, scopeKeyOf, type FactColumns } from '../sql/fact-row.ts';
import type { SqliteConnection, Value } from './sqlite-connection.ts';
import { bytesOf, SqliteFactReader } from './sqlite-fact-reader.ts';

const COLUMNS: readonly (keyof FactColumns)[] = [
  'fact_type',
  'subject',
  'predicate',
  'object',
  ...HASH_COLUMNS,
  'confidence',
  'trust',
  'source_type',
  'source_reference',
  'valid_from',
  'valid_to',
  'created_at',
  'updated_at',
];

const INSERT_FACT = `
  INSERT INTO facts (fact_id, scope_id, metadata, version, ${COLUMNS.join(', ')})
  VALUES (?, ?, ?, ?, ${COLUMNS.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;
const UPDATE_FACT = `
  UPDATE facts SET confidence = ?, trust = ?, metadata = ?, source_type = ?, source_reference = ?, valid_from = ?, valid_to = ?,
    version = ?, updated_at = ?
  WHERE fact_id = ?`;
const DELETE_FACT = 'DELETE FROM facts WHERE fact_id = ? RETURNING scope_id AS scopeId';
const SELECT_SCOPE = 'SELECT scope_id AS id FROM fact_scopes WHERE key = ?';
const INSERT_SCOPE = 'INSERT INTO fact_scopes (key, owner_id) VALUES (?, ?) RETURNING scope_id AS id';
const DELETE_EMPTY_SCOPE = `
  DELETE FROM fact_scopes WHERE scope_id = ? AND NOT EXISTS (SELECT 1 FROM facts f WHERE f.scope_id = fact_scopes.scope_id)`;
const NEXT_VERSIONS = 'UPDATE record_clock SET version = version + ? WHERE id = 1 RETURNING version';

export class SqliteFactTransaction implements FactTransaction {
  readonly #connection: SqliteConnection;
  readonly #reader: SqliteFactReader;
  readonly #removed: () => void;
  /** Of those scopes that something was put into, by key. */
  readonly #scopeIds = new Map<string, number>();

  /** `removed` is told when something goes for good. */
  constructor(connection: SqliteConnection, removed: () => void = () => {}) {
    this.#connection = connection;
    this.#reader = new SqliteFactReader(connection);
    this.#removed = removed;
  }

  async find(ids: readonly string[]): Promise<Fact[]> {
    return ids.flatMap((id) => this.#reader.find(id) ?? []);
  }

  async timelines(queries: readonly TimelineQuery[]): Promise<Fact[]> {
    return this.#reader.timelines(queries);
  }

  async insert(drafts: readonly FactDraft[]): Promise<Fact[]> {
    return this.#versioned(drafts).map((fact) => {
      if (!this.#insert(fact)) throw idTaken(fact.factId);
      return fact;
    });
  }

  async replace(drafts: readonly FactDraft[]): Promise<Fact[]> {
    const facts = this.#versioned(drafts);
    for (const fact of facts) {
      const { confidence, trust, source_type, source_reference, valid_from, valid_to, updated_at } = columnsOf(fact);
      const metadata = JSON.stringify(fact.metadata);
      const span = [source_type, source_reference, valid_from, valid_to, fact.version, updated_at];
      this.#connection.run(UPDATE_FACT, confidence, trust, metadata, ...span, bytesOf(fact.factId));
    }
    return facts;
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) this.#removed();
    this.#scopeIds.clear();
    const scopes = ids.flatMap((id) => this.#connection.all<{ scopeId: number }>(DELETE_FACT, bytesOf(id)));
    for (const scopeId of new Set(scopes.map((row) => row.scopeId))) this.#connection.run(DELETE_EMPTY_SCOPE, scopeId);
  }

  /** Puts facts in as they were elsewhere, and leaves alone what is there. */
  restore(facts: readonly Fact[]): void {
    for (const fact of facts) this.#insert(fact);
  }

  /** Puts other spellings of the same facts in their place. */
  rewrite(facts: readonly Fact[]): void {
    for (const fact of facts) {
      this.#connection.run(DELETE_FACT, bytesOf(fact.factId));
      this.#insert(fact);
    }
  }

  /** False when the id is taken. */
  #insert(fact: Fact): boolean {
    const columns = columnsOf(fact);
    const values: Value[] = COLUMNS.map((column) => columns[column]);
    const place = [bytesOf(fact.factId), this.#scopeId(fact), JSON.stringify(fact.metadata), fact.version];
    return this.#connection.run(INSERT_FACT, ...place, ...values).changes === 1;
  }

  #scopeId(fact: FactDraft): number {
    const key = scopeKeyOf(fact);
    const known = this.#scopeIds.get(key);
    if (known !== undefined) return known;
    const row =
      this.#connection.first<{ id: number }>(SELECT_SCOPE, key) ??
      this.#connection.first<{ id: number }>(INSERT_SCOPE, key, audienceOf(fact));
    if (row === undefined) throw new Error('A scope that was just made has no id.');
    this.#scopeIds.set(key, row.id);
    return row.id;
  }

  /** With versions that none had before. */
  #versioned(drafts: readonly FactDraft[]): Fact[] {
    if (drafts.length === 0) return [];
    const last = this.#connection.first<{ version: number }>(NEXT_VERSIONS, drafts.length)?.version ?? 0;
    return drafts.map((draft, index) => ({ ...draft, version: last - drafts.length + 1 + index }));
  }
}
