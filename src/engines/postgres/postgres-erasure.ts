/** Erasing in PostgreSQL: in portions, so that nobody waits long, and at the end by what hangs on a user or a tenant. */

import type { AuditEntry } from '../../domain/audit.ts';
import { NOTHING_COUNTED, type ErasureCounts } from '../../domain/erasure.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ErasedUser, Erasure, ErasureWork } from '../../ports/erasure.ts';
import { plus } from '../sql/erasure-counts.ts';
import { administrationOf, insertAudit, insertAuditBeyond } from './postgres-audit-log.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { rememberedOf, type PostgresRemembered } from './postgres-remembered.ts';
import type { PostgresTransaction } from './postgres-sending.ts';
import type { Parameter } from './postgres-driver.ts';
import { pageOfMentions, STRIKE_RUNS, type MentionPage } from './postgres-erasure-mentions.ts';
import {
  countTenant,
  countUser,
  partsOf,
  removeOthers,
  thinOutEvents,
  thinOutFacts,
} from './postgres-erasure-parts.ts';
import { usersOf, type PostgresUsers } from './postgres-users.ts';

/** Entries that one transaction removes: others must not wait for it long. */
const BATCH = 200;

/** Rows that are only looked at, or changed in little. */
const PAGE = 5000;

/**
 * Whoever adds something of the user waits from here on, and then begins anew. Not before the entries, their partitions
 * and the user have been met in the order in which those who write meet them: else they would wait for each other.
 */
const LOCK_USER = 'SELECT 1 FROM lamina.users WHERE tenant_id = $1 AND id = $2 FOR UPDATE';
const SELECT_OWN = `
  SELECT seq, id, content, trigger_condition AS "triggerCondition" FROM lamina.entries
  WHERE tenant_id = $1 AND owner_id = $2 ORDER BY created_at, id LIMIT $3 FOR UPDATE`;
const SELECT_PAST = `
  SELECT entry ->> 'content' AS content, entry ->> 'triggerCondition' AS "triggerCondition"
  FROM lamina.entry_versions WHERE tenant_id = $1 AND seq = ANY ($2::bigint[])`;
const COUNT_EMBEDDINGS = `
  SELECT count(*) AS count FROM lamina.embeddings WHERE tenant_id = $1 AND seq = ANY ($2::bigint[])`;
const DELETE_EVENTS = 'DELETE FROM lamina.events WHERE tenant_id = $1 AND entry_id = ANY ($2::uuid[])';
/** Versions, vectors and words go along. */
const DELETE_ENTRIES = 'DELETE FROM lamina.entries WHERE tenant_id = $1 AND seq = ANY ($2::bigint[])';

/** Nobody changes what lies in them any more. */
const LOCK_PARTITIONS = `
  SELECT count(*) FROM (SELECT 1 FROM lamina.partitions WHERE tenant_id = $1 ORDER BY id FOR UPDATE) AS locked`;
const LOCK_TENANT = 'SELECT 1 FROM lamina.tenants WHERE id = $1 FOR UPDATE';
const SELECT_TEXTS = `
  SELECT seq, content, trigger_condition AS "triggerCondition" FROM lamina.entries
  WHERE tenant_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`;
const DELETE_TENANT = 'DELETE FROM lamina.tenants WHERE id = $1';

interface TextRow {
  readonly content: string;
  readonly triggerCondition: string | null;
}

interface OwnRow extends TextRow {
  readonly seq: number;
  readonly id: string;
}

interface Step {
  readonly removed: ErasureCounts;
  readonly texts: readonly string[];
  /** Given by the last step. */
  readonly entry?: AuditEntry;
}

export class PostgresErasure implements Erasure {
  readonly #database: PostgresDatabase;
  readonly #users: PostgresUsers;
  readonly #remembered: PostgresRemembered;
  readonly #clock: Clock;

  constructor(database: PostgresDatabase, clock: Clock) {
    this.#database = database;
    this.#users = usersOf(database);
    this.#remembered = rememberedOf(database);
    this.#clock = clock;
  }

  async eraseUser(principal: Principal, user: ErasedUser, work: ErasureWork): Promise<AuditEntry> {
    let removed: ErasureCounts = NOTHING_COUNTED;
    removed = plus(removed, { mentions: await this.#mentions(principal, user.userId, user.pseudonym) });
    const own = [principal.tenantId, user.userId];
    const runs = await this.#database.write(administrationOf(principal), STRIKE_RUNS, own);
    removed = plus(removed, { mentions: runs.count });
    removed = plus(removed, await this.#thinOutEvents(principal, user));
    removed = plus(removed, { facts: await this.#thinOutFacts(principal, user) });
    for (;;) {
      const step = await this.#eraseSome(principal, user, work, removed);
      // Only now: until then somebody could have had them embedded again.
      if (step.texts.length > 0) work.forget(step.texts);
      removed = plus(removed, step.removed);
      if (step.entry === undefined) continue;
      this.#users.forget(principal.tenantId, user.userId);
      this.#remembered.forget(principal.tenantId);
      return step.entry;
    }
  }

  async eraseTenant(principal: Principal, work: ErasureWork): Promise<AuditEntry> {
    const { tenantId } = principal;
    const erase = async (transaction: PostgresTransaction): Promise<AuditEntry> => {
      transaction.send(LOCK_PARTITIONS, [tenantId]);
      transaction.send(LOCK_TENANT, [tenantId]);
      // Those that came in between; from here on nobody adds anything.
      transaction.send(LOCK_PARTITIONS, [tenantId]);
      await forgetTexts(transaction, tenantId, work);
      const made = work.entryOf(await countTenant(transaction, tenantId));
      transaction.send(DELETE_TENANT, [tenantId]);
      await insertAuditBeyond(transaction, principal, made);
      return made;
    };
    // All that hangs on a tenant goes by one statement.
    const entry = await this.#database.transaction(administrationOf(principal), erase, { isUnbounded: true });
    this.#users.forgetTenant(tenantId);
    this.#remembered.forget(tenantId);
    return entry;
  }

  async countUser(principal: Principal, user: ErasedUser): Promise<ErasureCounts> {
    const counts = await this.#database.transaction(administrationOf(principal), async (transaction) =>
      countUser(transaction, await partsOf(transaction, principal.tenantId, user.userId, user.namespaceOfPlan)),
    );
    return plus(counts, { mentions: await this.#mentions(principal, user.userId) });
  }

  countTenant(principal: Principal): Promise<ErasureCounts> {
    return this.#database.transaction(administrationOf(principal), (transaction) =>
      countTenant(transaction, principal.tenantId),
    );
  }

  /** One transaction: some of the entries, or, with the last of them, everything else and the entry of the audit log. */
  #eraseSome(principal: Principal, user: ErasedUser, work: ErasureWork, before: ErasureCounts): Promise<Step> {
    const { tenantId } = principal;
    const context = administrationOf(principal);
    return this.#users.transaction(context, this.#clock.now(), async (transaction, enter): Promise<Step> => {
      const selectOwn = async (): Promise<OwnRow[]> =>
        (await transaction.query<OwnRow>(SELECT_OWN, [tenantId, user.userId, BATCH])).rows;
      const own = await selectOwn();
      let step = await removeEntries(transaction, tenantId, own);
      if (own.length === BATCH) return step;
      transaction.send(LOCK_USER, [tenantId, user.userId]);
      // Those that came before that.
      for (let more = await selectOwn(); more.length > 0; more = await selectOwn()) {
        step = together(step, await removeEntries(transaction, tenantId, more));
      }
      const parts = await partsOf(transaction, tenantId, user.userId, user.namespaceOfPlan);
      const removed = plus(await removeOthers(transaction, parts, user.pseudonym), step.removed);
      const entry = work.entryOf(plus(before, removed));
      enter('');
      await insertAudit(transaction, principal, entry);
      return { ...step, removed, entry };
    });
  }

  /** Counted, or struck out where there is a pseudonym: page by page, each in a transaction of its own. */
  async #mentions(principal: Principal, userId: string, pseudonym?: string): Promise<number> {
    const context = administrationOf(principal);
    const ask = async (sql: string, values: readonly Parameter[]): Promise<MentionPage[]> =>
      pseudonym === undefined
        ? this.#database.read<MentionPage>(context, sql, values)
        : (await this.#database.write<MentionPage>(context, sql, values)).rows;
    const user = { tenantId: principal.tenantId, userId };
    let total = 0;
    for (let after: number | null = 0; after !== null;) {
      const page: MentionPage = await pageOfMentions(ask, user, after, PAGE, pseudonym);
      total += page.count;
      after = page.last;
    }
    return total;
  }

  /** As with events. */
  async #thinOutFacts(principal: Principal, { userId }: ErasedUser): Promise<number> {
    const { tenantId } = principal;
    let total = 0;
    for (;;) {
      const some = await this.#database.transaction(administrationOf(principal), (transaction) =>
        thinOutFacts(transaction, { tenantId, userId }, PAGE),
      );
      total += some;
      if (some < PAGE) return total;
    }
  }

  /** Many events of a user who did much are gone before the last transaction, which takes the rest. */
  async #thinOutEvents(principal: Principal, { userId }: ErasedUser): Promise<ErasureCounts> {
    const { tenantId } = principal;
    let total: ErasureCounts = NOTHING_COUNTED;
    for (;;) {
      const some = await this.#database.transaction(administrationOf(principal), (transaction) =>
        thinOutEvents(transaction, { tenantId, userId }, PAGE),
      );
      total = plus(total, some);
      if (Math.max(some.events ?? 0, some.mentions ?? 0) < PAGE) return total;
    }
  }
}

async function removeEntries(
  transaction: PostgresTransaction,
  tenantId: string,
  own: readonly OwnRow[],
): Promise<Step> {
  if (own.length === 0) return { removed: NOTHING_COUNTED, texts: [] };
  const seqs = own.map(({ seq }) => seq);
  const ids = own.map(({ id }) => id);
  const [past, embeddings, events] = await Promise.all([
    transaction.query<TextRow>(SELECT_PAST, [tenantId, seqs]),
    transaction.query<{ count: number }>(COUNT_EMBEDDINGS, [tenantId, seqs]),
    transaction.query(DELETE_EVENTS, [tenantId, ids]),
    transaction.query(DELETE_ENTRIES, [tenantId, seqs]),
  ]);
  return {
    removed: {
      ...NOTHING_COUNTED,
      entries: own.length,
      versions: past.rows.length,
      embeddings: embeddings.rows[0]?.count ?? 0,
      events: events.count,
    },
    texts: textsOf([...own, ...past.rows]),
  };
}

function together(one: Step, other: Step): Step {
  return { removed: plus(one.removed, other.removed), texts: [...one.texts, ...other.texts] };
}

/** Tells every text of the tenant, page by page. */
async function forgetTexts(transaction: PostgresTransaction, tenantId: string, { forget }: ErasureWork): Promise<void> {
  let after = 0;
  for (;;) {
    const { rows } = await transaction.query<TextRow & { seq: number }>(SELECT_TEXTS, [tenantId, after, PAGE]);
    const last = rows.at(-1)?.seq;
    if (last === undefined) return;
    const seqs = rows.map(({ seq }) => seq);
    const past = await transaction.query<TextRow>(SELECT_PAST, [tenantId, seqs]);
    forget(textsOf([...rows, ...past.rows]));
    after = last;
  }
}

function textsOf(rows: readonly TextRow[]): string[] {
  return rows.flatMap(({ content, triggerCondition }) => [content, triggerCondition ?? []].flat());
}
