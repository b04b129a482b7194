/** Erasing in SQLite: a user row by row, a tenant by deleting its file. */

import type { AuditEntry } from '../../domain/audit.ts';
import { NOTHING_COUNTED, type ErasureCounts } from '../../domain/erasure.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ErasedUser, Erasure, ErasureWork } from '../../ports/erasure.ts';
import { plus } from '../sql/erasure-counts.ts';
import { insertAudit, type SqliteAuditLog } from './sqlite-audit-log.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { SqliteEntryTransaction } from './sqlite-entry-transaction.ts';
import { strikeChanges, strikeMentions } from './sqlite-erasure-mentions.ts';
import { countTenant, countUser, partsOf, removeFacts, removeOthers } from './sqlite-erasure-parts.ts';
import type { SqliteTenant } from './sqlite-tenant.ts';
import type { SqliteTenants } from './sqlite-tenants.ts';

/** Entries that one transaction removes: others must not wait for it long. */
const BATCH = 200;

const SELECT_OWN = 'SELECT id FROM entries WHERE owner_id = ? LIMIT ?';
const COUNT_BESIDE = `
  WITH own AS (SELECT seq FROM entries WHERE id IN (SELECT value FROM json_each(?)))
  SELECT
    (SELECT count(*) FROM entry_versions WHERE seq IN (SELECT seq FROM own)) AS versions,
    (SELECT count(*) FROM embeddings WHERE seq IN (SELECT seq FROM own)) AS embeddings`;
const DELETE_EVENTS = 'DELETE FROM events WHERE entry_id IN (SELECT value FROM json_each(?))';
const SELECT_TEXTS = `
  SELECT seq, content, trigger_condition AS triggerCondition FROM entries WHERE seq > ? ORDER BY seq LIMIT ?`;
const SELECT_PAST_TEXTS = `
  SELECT json_extract(entry, '$.content') AS content, json_extract(entry, '$.triggerCondition') AS triggerCondition
  FROM entry_versions WHERE seq > ? AND seq <= ?`;

interface TextRow {
  readonly seq: number;
  readonly content: string;
  readonly triggerCondition: string | null;
}

interface Step {
  /** In this step and all before it. */
  readonly removed: ErasureCounts;
  /** Given by the last step. */
  readonly entry?: AuditEntry;
}

export class SqliteErasure implements Erasure {
  readonly #tenants: SqliteTenants;
  readonly #audit: SqliteAuditLog;
  readonly #clock: Clock;

  constructor(tenants: SqliteTenants, audit: SqliteAuditLog, clock: Clock) {
    this.#tenants = tenants;
    this.#audit = audit;
    this.#clock = clock;
  }

  async eraseUser({ tenantId }: Principal, user: ErasedUser, work: ErasureWork): Promise<AuditEntry> {
    let removed = NOTHING_COUNTED;
    for (;;) {
      const step = await this.#tenants.use(tenantId, (tenant) =>
        this.#eraseSome(tenant, { tenantId, user }, work, removed),
      );
      removed = step.removed;
      if (step.entry === undefined) continue;
      // The rows are gone; now the unused space and the log of writes, in which they could still be read.
      await this.#tenants.use(tenantId, (tenant) => tenant.compact());
      return step.entry;
    }
  }

  async eraseTenant(principal: Principal, work: ErasureWork): Promise<AuditEntry> {
    const counts = await this.#tenants.erase(principal.tenantId, (connection) => {
      forgetTexts(connection, work);
      return countTenant(connection);
    });
    // Only now: a receipt must not speak of what may still fail.
    const entry = work.entryOf(counts ?? NOTHING_COUNTED);
    await this.#audit.recordBeyond(entry, principal.tenantId);
    return entry;
  }

  countUser(principal: Principal, { userId, namespaceOfPlan }: ErasedUser): Promise<ErasureCounts> {
    return this.#tenants.read(
      principal,
      ({ connection }) => countUser(connection, partsOf(connection, userId, namespaceOfPlan)),
      () => NOTHING_COUNTED,
    );
  }

  countTenant(principal: Principal): Promise<ErasureCounts> {
    return this.#tenants.read(
      principal,
      ({ connection }) => countTenant(connection),
      () => NOTHING_COUNTED,
    );
  }

  /** One transaction: some of the entries, or, with the last of them, everything else and the entry of the audit log. */
  #eraseSome(
    tenant: SqliteTenant,
    { tenantId, user }: { readonly tenantId: string; readonly user: ErasedUser },
    work: ErasureWork,
    before: ErasureCounts,
  ): Promise<Step> {
    return tenant.writeErasure(user.userId, async (connection) => {
      // Only at first: it goes through all runs.
      const changes = before === NOTHING_COUNTED ? strikeChanges(connection, user.userId) : 0;
      const own = connection.all<{ id: string }>(SELECT_OWN, user.userId, BATCH).map(({ id }) => id);
      const entries = await this.#removeEntries(connection, own, work);
      const facts = own.length === BATCH ? 0 : removeFacts(connection, user.userId, BATCH);
      const removed = plus(plus(before, entries), { mentions: changes, facts });
      if (own.length === BATCH || facts === BATCH) return { removed };
      const parts = partsOf(connection, user.userId, user.namespaceOfPlan);
      const others = removeOthers(connection, parts);
      const mentions = strikeMentions(connection, user.userId, user.pseudonym);
      const total = plus(removed, { ...others, mentions });
      const entry = work.entryOf(total);
      insertAudit(connection, tenantId, entry);
      return { removed: total, entry };
    });
  }

  async #removeEntries(
    connection: SqliteConnection,
    ids: readonly string[],
    { forget }: ErasureWork,
  ): Promise<Partial<ErasureCounts>> {
    const list = JSON.stringify(ids);
    const beside = connection.first<{ versions: number; embeddings: number }>(COUNT_BESIDE, list);
    forget(await new SqliteEntryTransaction(connection, this.#clock, '').remove(ids));
    // The removal itself has left an event for each.
    const events = connection.run(DELETE_EVENTS, list).changes - ids.length;
    return { entries: ids.length, ...beside, events };
  }
}

/** Tells every text of the tenant, page by page. */
function forgetTexts(connection: SqliteConnection, { forget }: ErasureWork): void {
  let after = 0;
  for (;;) {
    const rows = connection.all<TextRow>(SELECT_TEXTS, after, BATCH);
    const last = rows.at(-1)?.seq;
    if (last === undefined) return;
    const past = connection.all<TextRow>(SELECT_PAST_TEXTS, after, last);
    forget([...rows, ...past].flatMap(({ content, triggerCondition }) => [content, triggerCondition ?? []].flat()));
    after = last;
  }
}
