/** Two tenants with two users each, who leave something of every kind, on a database with roles of its own. */

import { openEngine } from '../src/compose/engines.ts';
import { Lamina } from '../src/compose/lamina.ts';
import type { Memory } from '../src/operations/memory.ts';
import { UserLife } from '../src/testing/contract-erasure-life.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { connect } from './postgres-server.ts';
import { securedDatabase, type SecuredDatabase } from './secured-database.ts';
import { liveAsHost, liveInTiers } from './tier-life.ts';

export const OURS = '00000000-0000-4000-8000-00000000000a';
export const THEIRS = '00000000-0000-4000-8000-00000000000b';
const ERASED = '00000000-0000-4000-8000-00000000000c';

/** Whoever is curious. */
export const ALICE = { tenant: OURS, user: 'alice' } as const;

/** In every text that is none of Alice's business: what is Bob's alone, and all of the other tenant. */
export const SECRET = /quokka|numbat|bilby/;

/** Tables that tell nothing of anybody: which models there are, and which migrations. */
export const PUBLIC_TABLES: readonly string[] = ['embedding_spaces', 'schema_migrations', 'spaces_in_use'];

/** Written past the service: where there are data keys, nobody writes who has no master key. */
const ADD_DATA_KEYS = `
  INSERT INTO lamina.data_keys (tenant_id, id, purpose, wrapped, master_id, created_at)
  VALUES ('${OURS}', 'key', 'data', 'wombat', 'master', 0), ('${THEIRS}', 'key', 'data', 'numbat', 'master', 0)`;

/** In which further column a row says whose it is. Keys name a user, and are the tenant's. */
const WHOSE: Readonly<Record<string, string>> = {
  plans: `j ->> 'user_id'`,
  sessions: `j ->> 'user_id'`,
  users: `j ->> 'id'`,
  // What Alice has put into his inbox is hers as well.
  state: `CASE WHEN j ->> 'namespace' ~ 'bob|quokka' AND j ->> 'key' NOT LIKE '["alice",%' THEN 'bob' END`,
  events: `CASE WHEN j ->> 'pool_id' ~ 'bob|quokka' THEN 'bob' END`,
};

export interface TwoTenants extends SecuredDatabase {
  /** Every table of the schema. */
  readonly tables: readonly string[];
  /** What the other tenant and Bob have, as a superuser sees it. */
  foreignRows(): Promise<Record<string, readonly string[]>>;
}

export async function twoTenants(): Promise<TwoTenants> {
  const database = await securedDatabase();
  await live(database);
  const client = await connect(database.superuserUrl);
  await client.query(ADD_DATA_KEYS);
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'lamina' ORDER BY 1`,
  );
  await client.end();
  const tables = rows.map(({ name }) => name);
  return { ...database, tables, foreignRows: () => foreignRows(database.superuserUrl, tables) };
}

/** Through the service, as the role of the service. */
async function live({ serviceUrl }: SecuredDatabase): Promise<void> {
  const engine = await openEngine({ databaseUrl: serviceUrl });
  await using lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
  for (const [tenantId, userId, mark] of [
    [OURS, 'alice', 'wombat'],
    [THEIRS, 'carol', 'numbat'],
    // Of the same name as ours, in another tenant.
    [THEIRS, 'alice', 'bilby'],
  ] as const) {
    await new UserLife(lamina.as({ tenantId, userId }), userId, mark).live();
    await liveInTiers(engine, { tenantId, userId }, mark);
    await lamina.as({ tenantId, userId: 'root', roles: ['admin'] }).keys.create({ name: mark, userId });
  }
  await liveInPrivate(lamina.as({ tenantId: OURS, userId: 'bob' }), 'quokka');
  await liveInTiers(engine, { tenantId: OURS, userId: 'bob' }, 'quokka');
  await liveAsHost(engine, { tenantId: OURS, userId: 'bob' }, 'alice');
  await lamina.as({ tenantId: ERASED, userId: 'root' }).add({ content: 'bilby', layer: 'user' });
  await lamina.as({ tenantId: ERASED, userId: 'root', roles: ['admin'] }).admin.eraseTenant({ tenantId: ERASED });
}

/** What is Bob's alone, and something that he shares. */
async function liveInPrivate(bob: Memory, mark: string): Promise<void> {
  const project = { layer: 'project', identifiers: { projectId: 'atlas' } } as const;
  const agentId = 'helper';
  const { memory } = await bob.add({ content: `${mark} at first`, layer: 'user', externalId: mark, tags: [mark] });
  await bob.update({ id: memory.id, content: `${mark} at last` });
  await bob.get({ id: memory.id });
  await bob.add({ ...project, content: `${mark} in private`, visibility: 'private' });
  await bob.episodic.log({ agentId, role: 'user', content: `${mark} asks` });
  await bob.procedural.add({ agentId, content: `${mark} first`, procedureType: 'system_prompt' });
  await bob.sessions.create({ sessionId: `${mark}-session`, metadata: { mark } });
  await bob.plans.create({ planId: `${mark}-plan`, goalEvent: 'goal', goalData: { mark } });
  await bob.facts.add({ factType: mark, subject: mark, predicate: 'is', object: 'a secret', metadata: { mark } });
  await bob.add({ ...project, content: 'Bob has read the guide', kind: 'episodic', visibility: 'shared' });
}

/** Of Bob: what names him in a column that says whose it is, and what hangs on his private entries. */
async function foreignRows(url: string, tables: readonly string[]): Promise<Record<string, string[]>> {
  const client = await connect(url);
  const rows: Record<string, string[]> = {};
  for (const table of tables) {
    if (PUBLIC_TABLES.includes(table)) continue;
    const { rows: found } = await client.query<{ row: string }>(
      `WITH r AS (SELECT to_jsonb(t) AS j FROM lamina.${table} t)
       SELECT j::text AS row FROM r
       WHERE coalesce(j ->> 'tenant_id', j ->> 'id', '') = '${THEIRS}' OR j ->> 'tenant_hash' IS NOT NULL
         OR 'bob' IN (j ->> 'audience', j ->> 'owner_id', ${WHOSE[table] ?? 'NULL'})
         OR j -> 'seq' IN (SELECT to_jsonb(e.seq) FROM lamina.entries e WHERE e.audience = 'bob')
       ORDER BY 1`,
    );
    rows[table] = found.map(({ row }) => row);
  }
  await client.end();
  return rows;
}
