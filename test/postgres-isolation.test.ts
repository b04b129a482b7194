/**
 * Isolation by the database itself: with a raw connection as the role of the service, in a transaction that is Alice's,
 * no statement gets at another tenant's rows, or at what is private to Bob in her own.
 */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inboxNamespace, poolNamespace } from '../src/domain/namespace.ts';
import { copyOf, ESCAPES, READINGS } from './isolation-attempts.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { RawSession, type RawAnswer } from './raw-session.ts';
import { ownNamespaces } from './tier-life.ts';
import { ALICE, OURS, PUBLIC_TABLES, SECRET, THEIRS, twoTenants, type TwoTenants } from './two-tenants.ts';

const FORBIDDEN = '42501';
const REFERENCE = '23503';
const CHECK = '23514';

/** Written by triggers alone. */
const READ_ONLY: readonly string[] = ['entry_words', 'word_counts', 'partitions'];

/** Nothing of them is changed or taken out. */
const APPENDED: readonly string[] = ['audit_log', 'erased_tenants'];

/** Shared by everybody of a tenant, whoever wrote it. */
const TENANTS_OWN: readonly string[] = ['plan_context', 'task_context', 'record_links'];

/** The rows of a table that Alice may change: hers, and what belongs to a layer. */
function whatIsHers(table: string): string {
  const entries = `SELECT e.seq FROM lamina.entries e WHERE e.tenant_id = '${OURS}'`;
  switch (table) {
    case 'entries':
      return `x.tenant_id = '${OURS}' AND (x.owner_id = 'alice' OR x.owner_id IS NULL)`;
    case 'entry_versions':
    case 'embeddings':
      return `x.seq IN (${entries} AND (e.owner_id = 'alice' OR e.owner_id IS NULL))`;
    case 'entry_accesses':
      return `x.seq IN (${entries} AND (e.audience = 'alice' OR e.audience IS NULL))`;
    case 'plans':
    case 'sessions':
      return `x.tenant_id = '${OURS}' AND x.user_id = 'alice'`;
    case 'pools':
    case 'contexts':
    case 'context_snapshots':
    case 'context_accesses':
      return `x.tenant_id = '${OURS}' AND x.owner_id = 'alice'`;
    case 'state':
      // Working memory, what is her own, what she has put to others, and what is in pools of hers.
      return `x.tenant_id = '${OURS}' AND (x.namespace ~ '^\\["working"|^\\["[a-z]+","alice",' OR x.key ~ '^\\["alice",'
        OR x.namespace IN (SELECT '["pool","' || p.pool_id || '"]' FROM lamina.pools p
                           WHERE p.tenant_id = '${OURS}' AND p.owner_id = 'alice'))`;
    case 'facts':
    case 'fact_scopes':
      return `x.tenant_id = '${OURS}' AND x.audience IN ('alice', '')`;
    case 'users':
      return `x.tenant_id = '${OURS}' AND x.id = 'alice'`;
    default:
      return 'false';
  }
}

describeOnPostgres('isolation by row-level security', () => {
  let tenants: TwoTenants;
  let session: RawSession;
  let before: Awaited<ReturnType<TwoTenants['foreignRows']>>;

  beforeAll(async () => {
    tenants = await twoTenants();
    session = await RawSession.open(tenants.serviceUrl);
    before = await tenants.foreignRows();
  });
  afterEach(async () => expect(await tenants.foreignRows()).toEqual(before));
  afterAll(async () => {
    await session.close();
    await tenants.drop();
  });

  const asAlice = (...statements: string[]): Promise<RawAnswer> => session.attempt(ALICE, ...statements);

  /** For each table what is wrong with the answer to a statement about it: nothing, everywhere. */
  async function everywhere(
    statement: (table: string) => string[],
    fault: (answer: RawAnswer) => string | undefined,
    tables = tenants.tables.filter((table) => !PUBLIC_TABLES.includes(table)),
  ): Promise<void> {
    const faults: Record<string, string> = {};
    for (const table of tables) {
      const found = fault(await asAlice(...statement(table)));
      if (found !== undefined) faults[table] = found;
    }
    expect(faults).toEqual({});
  }

  const changedNothing = ({ refusal, count, message }: RawAnswer): string | undefined =>
    refusal === undefined
      ? count === 0
        ? undefined
        : `${count} rows`
      : [FORBIDDEN].includes(refusal)
        ? undefined
        : message;

  it('has something to hide in every table, and something to show', async () => {
    const hidden = Object.entries(before).flatMap(([table, rows]) => (rows.length === 0 ? [table] : []));
    expect(hidden).toEqual([]);
    expect(Object.values(before).flat().join('')).toMatch(SECRET);
    const { text } = await asAlice('SELECT * FROM lamina.entries');
    expect(text).toContain('wombat likes water');
    // What Bob shares in a layer is Alice's to read.
    expect(text).toContain('Bob has read the guide');
  });

  describe('shows nothing', () => {
    it.each(Object.entries(READINGS))('by %s', async (_name, reading) => {
      await everywhere(reading, ({ text }) => {
        const end = SECRET.exec(text)?.index ?? text.indexOf(THEIRS);
        return end === -1 ? undefined : text.slice(Math.max(0, end - 500), end + 100);
      });
    });

    it('of a pool or a context but to its members, and what is in it with it', async () => {
      const seen = async (user: string): Promise<string[]> => {
        const parts = [
          `SELECT pool_id FROM lamina.pools`,
          `SELECT context_id FROM lamina.contexts`,
          `SELECT key FROM lamina.state WHERE namespace LIKE '["pool",%'`,
          `SELECT key FROM lamina.events WHERE pool_id IS NOT NULL`,
        ];
        return Promise.all(
          parts.map(async (part) => {
            const { text } = await session.attempt({ tenant: OURS, user }, `${part} ORDER BY 1`);
            const [[rows]] = JSON.parse(text) as [[object[]]];
            return rows.flatMap((row) => Object.values(row)).join(' ');
          }),
        );
      };
      expect(await seen('alice')).toEqual([
        'bob-lends wombat-pool',
        'bob-lends wombat-context',
        'lent wombat',
        'lent wombat',
      ]);
      expect(await seen('bob')).toEqual([
        'bob-lends quokka-pool',
        'bob-lends quokka-context',
        'lent quokka',
        'lent quokka',
      ]);
      expect(await seen('eve')).toEqual(['', '', '', '']);
      // What is lent to everyone; and Alice is not Alice2.
      const lend = (to: string): Promise<RawAnswer> =>
        session.attempt(
          { tenant: OURS, user: 'bob' },
          `UPDATE lamina.pools SET members = '["${to}"]' WHERE pool_id = 'bob-lends'`,
        );
      await lend('');
      expect(await seen('eve')).toEqual(['bob-lends', '', 'lent', 'lent']);
      await lend('alice2');
      expect((await seen('alice'))[0]).toBe('wombat-pool');
      const superuser = await RawSession.open(tenants.superuserUrl);
      await superuser.attempt({}, `UPDATE lamina.pools SET members = '["alice", "x"]' WHERE pool_id = 'bob-lends'`);
      await superuser.close();
      before = await tenants.foreignRows();
    });

    it('of state but to whom it is, or who has put it there', async () => {
      const { text } = await asAlice(`SELECT namespace, key FROM lamina.state WHERE namespace NOT LIKE '["working",%'`);
      const [[rows]] = JSON.parse(text) as [[{ namespace: string; key: string }[]]];
      const others = rows.filter(({ namespace }) => !/^\["[a-z]+","alice",|^\["pool"/.test(namespace));
      expect(others).toEqual([{ namespace: inboxNamespace('bob', ''), key: JSON.stringify(['alice', '', 'note']) }]);
      expect(rows).toHaveLength(ownNamespaces('alice').length + 3);
    });

    it('where nothing is set, or not all of it', async () => {
      for (const context of [
        {},
        { user: 'alice' },
        { user: 'bob', purpose: 'administration' },
        { purpose: 'anything' },
      ]) {
        for (const table of tenants.tables) {
          if (PUBLIC_TABLES.includes(table)) continue;
          const answer = await session.attempt(context, `SELECT * FROM lamina.${table}`);
          expect([table, context, answer.refusal, answer.count]).toEqual([table, context, undefined, 0]);
        }
      }
      const nobody = await session.attempt({ tenant: OURS }, 'SELECT DISTINCT audience FROM lamina.entries');
      expect(nobody.text).not.toMatch(/alice|bob/);
    });

    it('of another tenant to an administrator, and only the directory to who asks for it', async () => {
      // Empty until the model is changed for the first time.
      for (const table of tenants.tables.filter((each) => each !== 'spaces_in_use')) {
        const administrator = await session.attempt(
          { ...ALICE, purpose: 'administration' },
          `SELECT * FROM lamina.${table}`,
        );
        expect(administrator.text).not.toContain(THEIRS);
        const { count } = await session.attempt({ purpose: 'directory' }, `SELECT * FROM lamina.${table}`);
        expect([table, count > 0]).toEqual([
          table,
          [...PUBLIC_TABLES, 'data_keys', 'erased_tenants', 'partitions', 'tenants'].includes(table),
        ]);
      }
    });

    it('in the statistics of the planner, nor in those of sequences', async () => {
      const analyst = await RawSession.open(tenants.superuserUrl);
      await analyst.attempt({}, 'ANALYZE');
      const all = await analyst.attempt({}, `SELECT * FROM pg_stats WHERE schemaname = 'lamina'`);
      await analyst.close();
      expect(all.text).toMatch(SECRET);
      for (const view of ['pg_stats', 'pg_stats_ext', 'pg_stats_ext_exprs']) {
        const answer = await asAlice(`SELECT * FROM ${view} WHERE schemaname = 'lamina'`);
        expect([view, answer.count]).toEqual([view, 0]);
      }
      const sequences = await asAlice(
        `SELECT 1 FROM pg_sequences WHERE schemaname = 'lamina' AND last_value IS NOT NULL AND sequencename <> 'versions'`,
      );
      expect(sequences.count).toBe(0);
    });

    it('by a statement that was prepared, or a cursor that was opened, for somebody else', async () => {
      const prepared = await RawSession.open(tenants.serviceUrl);
      const execute = 'EXECUTE mine';
      const theirs = { tenant: THEIRS, user: 'carol' };
      await prepared.attempt(theirs, 'PREPARE mine AS SELECT content FROM lamina.entries');
      // Often enough for a plan that is kept.
      for (let round = 0; round < 8; round += 1)
        expect((await prepared.attempt(theirs, execute)).text).toMatch(/numbat/);
      const mine = await prepared.attempt(ALICE, execute);
      expect(mine.text).toContain('wombat');
      expect(mine.text).not.toMatch(SECRET);
      expect((await prepared.attempt({}, execute)).count).toBe(0);

      const fetched = await prepared.attempt(
        theirs,
        'DECLARE theirs CURSOR FOR SELECT content FROM lamina.entries',
        `SELECT set_config('app.current_tenant', '${OURS}', true), set_config('app.current_user', 'alice', true)`,
        'FETCH ALL FROM theirs',
      );
      // Whichever of the two it counts for, it is one of them and not both.
      expect([/numbat/.test(fetched.text), /wombat/.test(fetched.text)]).toContain(false);
      await prepared.close();
    });
  });

  describe('changes nothing', () => {
    it('by an update, a delete or a merge that names others', async () => {
      const whose = (table: string): string =>
        table === 'tenants' ? 'id' : table === 'erased_tenants' ? 'actor' : 'tenant_id';
      for (const condition of [
        `x::text LIKE '%${THEIRS}%'`,
        `to_jsonb(x) ->> 'audience' = 'bob'`,
        `to_jsonb(x) ->> 'owner_id' = 'bob'`,
        `x::text ~ 'quokka|bob-lends'`,
        `to_jsonb(x) ->> 'user_id' = 'bob' AND to_jsonb(x) ->> 'secret_hash' IS NULL`,
      ]) {
        await everywhere(
          (t) => [`UPDATE lamina.${t} x SET ${whose(t)} = ${whose(t)} WHERE ${condition}`],
          changedNothing,
        );
        await everywhere((t) => [`DELETE FROM lamina.${t} x WHERE ${condition}`], changedNothing);
        await everywhere(
          (t) => [`MERGE INTO lamina.${t} x USING (VALUES (1)) v ON ${condition} WHEN MATCHED THEN DELETE`],
          changedNothing,
        );
      }
    });

    it('by a row that is put into another tenant', async () => {
      await everywhere(
        (table) => [copyOf(table, { tenant_id: THEIRS, id: THEIRS })],
        changedNothing,
        tenants.tables.filter((table) => !['users', 'partitions', ...PUBLIC_TABLES].includes(table)),
      );
      await everywhere(
        (table) => [`UPDATE lamina.${table} SET tenant_id = '${THEIRS}'`],
        changedNothing,
        tenants.tables.filter((table) => ![...PUBLIC_TABLES, 'tenants', 'erased_tenants'].includes(table)),
      );
      for (const statement of [
        `INSERT INTO lamina.users VALUES ('${THEIRS}', 'alice-too', 0)`,
        `INSERT INTO lamina.partitions (tenant_id, key, layer, scope_key) VALUES ('${THEIRS}', 'k', 'user', 's')`,
        `UPDATE lamina.tenants SET id = '${THEIRS}'`,
      ]) {
        expect(await asAlice(statement)).toMatchObject({ refusal: FORBIDDEN });
      }
    });

    it('by a row that is made Bob’s', async () => {
      const id = crypto.randomUUID();
      for (const statement of [
        copyOf('entries', { id, seq: 1e9, owner_id: 'bob', content_hash: 'x' }, 'LIMIT 1'),
        `UPDATE lamina.entries SET owner_id = 'bob'`,
        `UPDATE lamina.plans SET user_id = 'bob'`,
        `UPDATE lamina.sessions SET user_id = 'bob'`,
        `UPDATE lamina.users SET id = 'bob2' WHERE id = 'bob'; UPDATE lamina.users SET id = 'zoe'`,
        ...['pools', 'contexts', 'context_snapshots', 'context_accesses'].map(
          (table) => `UPDATE lamina.${table} SET owner_id = 'bob' WHERE owner_id = 'alice'`,
        ),
        `UPDATE lamina.facts SET audience = 'bob'`,
        `INSERT INTO lamina.fact_scopes (tenant_id, key, layer, audience, owner_id) VALUES ('${OURS}', '["user","bob","x"]', 'user', 'bob', 'bob')`,
        copyOf('events', { seq: 1e9, audience: 'bob' }, 'LIMIT 1'),
        copyOf('events', { seq: 1e9, actor_id: 'bob' }, 'LIMIT 1'),
        copyOf('events', { seq: 1e9, entry_id: null, pool_id: 'quokka-pool', key: 'k', actor_id: '' }, 'LIMIT 1'),
        copyOf('events', { seq: 1e9, entry_id: null, pool_id: 'bob-lends', key: 'k', actor_id: '' }, 'LIMIT 1'),
        `INSERT INTO lamina.partitions (tenant_id, key, layer, scope_key, audience) VALUES ('${OURS}', 'k', 'user', 's', 'bob')`,
      ]) {
        expect([statement, (await asAlice(statement)).refusal]).toEqual([statement, FORBIDDEN]);
      }
    });

    it('by a value that is put where only Bob writes', async () => {
      const namespaces = [...ownNamespaces('bob'), poolNamespace('quokka-pool'), poolNamespace('bob-lends')];
      for (const namespace of namespaces) {
        for (const [key, from] of [
          ['k', 'alice'],
          ['new', 'alice'],
          [JSON.stringify(['bob', '', 'note']), 'alice'],
          [JSON.stringify(['bob', '', 'note']), ''],
        ]) {
          const write = copyOf('state', { namespace, key }, `WHERE t.namespace LIKE '["working",%' LIMIT 1`);
          const user = { tenant: OURS, ...(from !== '' && { user: from }) };
          expect([namespace, key, (await session.attempt(user, write)).refusal]).toEqual([namespace, key, FORBIDDEN]);
        }
        const moved = `UPDATE lamina.state SET namespace = '${namespace}', key = 'moved' WHERE namespace LIKE '["session",%'`;
        expect([namespace, (await asAlice(moved)).refusal]).toEqual([namespace, FORBIDDEN]);
      }
      // Into his inbox only in her own name.
      const inbox = { namespace: inboxNamespace('bob', 'helper'), key: JSON.stringify(['alice', '', 'hello']) };
      const [put, take] = [
        copyOf('state', inbox, `WHERE t.namespace LIKE '["working",%' LIMIT 1`),
        `DELETE FROM lamina.state WHERE namespace = '${inbox.namespace}'`,
      ];
      expect(await asAlice(put, take)).toMatchObject({ refusal: undefined, count: 1 });
    });

    it('by a fact that is put where only Bob looks, whoever it is said to be for', async () => {
      const [scope] = await column(`SELECT scope_id FROM lamina.fact_scopes WHERE audience = 'bob'`);
      const changes = { fact_id: crypto.randomUUID(), scope_id: Number(scope) };
      for (const audience of ['alice', '']) {
        const put = copyOf('facts', { ...changes, audience }, 'LIMIT 1');
        expect((await asAlice(put)).refusal).toBe(REFERENCE);
      }
      const scoped = `INSERT INTO lamina.fact_scopes (tenant_id, key, layer, audience) VALUES ('${OURS}', '["user","bo"]', 'user', '')`;
      expect((await asAlice(scoped)).refusal).toBe(CHECK);
    });

    it('by an entry that is put where only Bob looks', async () => {
      const [partition] = await column(`SELECT id FROM lamina.partitions WHERE audience = 'bob'`);
      const id = crypto.randomUUID();
      for (const statement of [
        copyOf(
          'entries',
          { id, seq: 1e9, partition_id: Number(partition), content_hash: 'x', external_id: 'x' },
          `WHERE t.owner_id = 'alice' LIMIT 1`,
        ),
        `UPDATE lamina.entries SET partition_id = ${partition} WHERE owner_id = 'alice'`,
        `UPDATE lamina.entries SET partition_id = ${partition}, audience = NULL WHERE owner_id = 'alice'`,
        `UPDATE lamina.embeddings SET partition_id = ${partition}`,
      ]) {
        expect([statement, (await asAlice(statement)).refusal]).toEqual([statement, FORBIDDEN]);
      }
    });

    it('by an insert that meets what is there', async () => {
      for (const [table, rows] of Object.entries(before)) {
        for (const row of rows.slice(0, 3)) {
          if (table === 'users') continue;
          const insert = `INSERT INTO lamina.${table} OVERRIDING SYSTEM VALUE
            SELECT (jsonb_populate_record(NULL::lamina.${table}, '${row.replaceAll("'", "''")}'::jsonb)).*`;
          const answers = [await asAlice(`${insert} ON CONFLICT DO NOTHING`), await asAlice(insert)];
          // The rows of a layer that Bob has written to are everybody's to count.
          for (const answer of answers) expect([table, row, changedNothing(answer)]).toEqual([table, row, undefined]);
        }
      }
      const [id] = await column(`SELECT id FROM lamina.entries WHERE audience = 'bob'`);
      const taking = copyOf(
        'entries',
        { id, seq: 1e9, content_hash: 'x', external_id: 'x' },
        `WHERE t.owner_id = 'alice' LIMIT 1`,
      );
      const taken = await asAlice(`${taking} ON CONFLICT (tenant_id, id) DO UPDATE SET content = excluded.content`);
      expect(taken.refusal).toBe(FORBIDDEN);
      expect(await asAlice(`${taking} ON CONFLICT DO NOTHING`)).toMatchObject({ refusal: undefined, count: 0 });
      const plan = copyOf('plans', { plan_id: 'quokka-plan' }, 'LIMIT 1');
      expect((await asAlice(`${plan} ON CONFLICT (tenant_id, plan_id) DO UPDATE SET user_id = 'alice'`)).refusal).toBe(
        FORBIDDEN,
      );
    });

    it('by copying in', async () => {
      await everywhere(
        (table) => [`COPY lamina.${table} FROM STDIN`],
        ({ refusal }) => (refusal === FORBIDDEN || refusal === '0A000' ? undefined : String(refusal)),
      );
    });

    it('in the text index, which is written by triggers alone', async () => {
      for (const table of ['entry_words', 'word_counts', 'partitions', 'embedding_spaces', 'schema_migrations']) {
        for (const statement of [
          `DELETE FROM lamina.${table}`,
          `INSERT INTO lamina.${table} OVERRIDING SYSTEM VALUE SELECT * FROM lamina.${table}`,
        ]) {
          expect([statement, (await asAlice(statement)).refusal]).toEqual([statement, FORBIDDEN]);
        }
      }
      expect((await asAlice('UPDATE lamina.partitions SET entry_count = 0')).refusal).toBe(FORBIDDEN);
      expect((await asAlice('UPDATE lamina.word_counts SET documents = 0')).refusal).toBe(FORBIDDEN);
    });

    it('by emptying or locking what it may not write to', async () => {
      await everywhere(
        (table) => [`TRUNCATE lamina.${table} CASCADE`],
        ({ refusal }) => (refusal === FORBIDDEN ? undefined : String(refusal)),
        [...tenants.tables],
      );
      expect((await asAlice('LOCK TABLE lamina.entry_words IN ACCESS EXCLUSIVE MODE')).refusal).toBe(FORBIDDEN);
    });

    it.each(ESCAPES)('by %s', async (statement) => {
      const { refusal } = await asAlice(statement);
      expect([FORBIDDEN, '42P01', '0A000']).toContain(refusal);
    });

    it('by becoming the owner', async () => {
      for (const statement of [`SET LOCAL ROLE ${tenants.ownerRole}`, `GRANT ${tenants.ownerRole} TO CURRENT_USER`]) {
        expect((await asAlice(statement)).refusal).toMatch(/42501|0LP01/);
      }
      const answer = await asAlice('RESET ROLE', 'SELECT DISTINCT tenant_id FROM lamina.entries');
      expect(answer.text).not.toContain(THEIRS);
    });

    it('by opening a space, which is no secret', async () => {
      expect(await asAlice(`SELECT lamina.open_space('a model', 3)`)).toMatchObject({ refusal: undefined, count: 1 });
      expect((await asAlice('SELECT * FROM lamina.embeddings')).text).not.toContain(THEIRS);
    });

    // The last ones: nothing is left of Alice afterwards. Whatever reads no column is not bound by who may read.
    it('but her own by an update without WHERE', async () => {
      const tables = tenants.tables.filter((table) => !['tenants', 'erased_tenants', ...PUBLIC_TABLES].includes(table));
      for (const table of tables) {
        const { count, refusal } = await asAlice(`UPDATE lamina.${table} SET tenant_id = '${OURS}'`);
        const isReadOnly = [...READ_ONLY, ...APPENDED].includes(table);
        expect([table, refusal]).toEqual([table, isReadOnly ? FORBIDDEN : undefined]);
        if (TENANTS_OWN.includes(table) || isReadOnly) continue;
        const mine = await column(`SELECT count(*) FROM lamina.${table} x WHERE ${whatIsHers(table)}`);
        expect([table, count]).toEqual([table, Number(mine[0])]);
      }
    });

    it('but her own by a delete without WHERE', async () => {
      const first = ['embeddings', 'entry_versions', 'entry_accesses', 'events', 'plans', 'sessions', 'entries'];
      for (const table of [...first, ...tenants.tables.filter((each) => !first.includes(each))]) {
        const mine = await column(`SELECT count(*) FROM lamina.${table} x WHERE ${whatIsHers(table)}`);
        const { count, refusal, message } = await asAlice(`DELETE FROM lamina.${table}`);
        const isReadOnly = [...READ_ONLY, ...APPENDED, ...PUBLIC_TABLES].includes(table);
        expect([table, refusal, message]).toEqual([
          table,
          isReadOnly ? FORBIDDEN : undefined,
          isReadOnly ? expect.anything() : '',
        ]);
        if (TENANTS_OWN.includes(table) || isReadOnly) continue;
        // A tenant, a user and events go by administration alone.
        const isKept = ['tenants', 'users', 'events'].includes(table);
        expect([table, count]).toEqual([table, isKept ? 0 : Number(mine[0])]);
      }
      expect(await column(`SELECT DISTINCT owner_id FROM lamina.entries WHERE tenant_id = '${OURS}'`)).toEqual(['bob']);
    });
  });

  async function column(statement: string): Promise<string[]> {
    const superuser = await RawSession.open(tenants.superuserUrl);
    const { text } = await superuser.attempt({}, statement);
    await superuser.close();
    const [[rows]] = JSON.parse(text) as [[Record<string, unknown>[]]];
    return rows.map((row) => String(Object.values(row)[0]));
  }
});
