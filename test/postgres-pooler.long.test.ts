/** Lamina behind a transaction pooler: what a transaction says of itself ends with it, whoever has the connection next. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEngine } from '../src/compose/engines.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { searchContract } from '../src/testing/contract-search.ts';
import type { OpenMemory, SubjectOptions } from '../src/testing/contract-subject.ts';
import { workingContract } from '../src/testing/contract-working.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { startPooler, whyNoPooler, type Pooler } from './pooler-process.ts';
import { connect, describeOnPostgres, describeWith, execute } from './postgres-server.ts';
import { securedDatabase, type SecuredDatabase } from './secured-database.ts';

/** Fewer than Lamina's own, so that they must be shared. */
const SERVER_CONNECTIONS = 3;
const OWN_CONNECTIONS = 12;

const EMPTY = 'TRUNCATE lamina.tenants, lamina.erased_tenants, lamina.entry_words, lamina.word_counts CASCADE';

const OTHER_TENANT = '00000000-0000-4000-8000-00000000000b';

function pooled(): void {
  let database: SecuredDatabase;
  let pooler: Pooler;

  beforeAll(async () => {
    database = await securedDatabase();
    pooler = await startPooler(database.serviceUrl, SERVER_CONNECTIONS);
  });
  afterAll(async () => {
    await pooler.close();
    await database.drop();
  });

  const open = async (embedder = new HashEmbedder(), { clock }: SubjectOptions = {}): Promise<Lamina> => {
    const settings = {
      databaseUrl: pooler.url,
      databaseDirectUrl: database.serviceUrl,
      databasePoolSize: OWN_CONNECTIONS,
      databasePrepare: 'off',
      migrate: 'off',
    } as const;
    return Lamina.open({ engine: await openEngine(settings, clock), embedder, ...(clock && { clock }) });
  };

  const openEmpty: OpenMemory = async (options) => {
    await execute(database.superuserUrl, EMPTY);
    const embedder = new HashEmbedder();
    const lamina = await open(embedder, options);
    return { embedder, as: (principal) => lamina.as(principal), close: () => lamina.close() };
  };

  describe('memory contract', () => {
    workingContract({ describe, it }, openEmpty);
    searchContract({ describe, it }, openEmpty);
  });

  it('keeps those apart who share its connections', async () => {
    await using lamina = await open();
    const people = ['ann', 'ben'].flatMap((userId) => [{ userId }, { userId, tenantId: OTHER_TENANT }]);
    const textOf = (principal: object): string => `the secret of ${JSON.stringify(principal)}`;
    await Promise.all(people.map((who) => lamina.as(who).add({ content: textOf(who), layer: 'user' })));
    const rounds = Array.from({ length: 50 }, () => people).flat();
    await Promise.all(
      rounds.map(async (who) => {
        const { results } = await lamina.as(who).search({ query: 'the secret', mode: 'keyword' });
        expect(results.map(({ memory }) => memory.content)).toEqual([textOf(who)]);
      }),
    );
  });

  it('leaves nothing on a connection', async () => {
    const clients = await Promise.all(Array.from({ length: SERVER_CONNECTIONS }, () => connect(pooler.url)));
    await using lamina = await open();
    await Promise.all(clients.map((_, index) => lamina.as({ userId: `user-${index}` }).plans.list({})));
    // At once, so that every connection is looked at.
    const left = await Promise.all(
      clients.map(async (client) => {
        await client.query('BEGIN');
        const { rows } = await client.query(
          `SELECT coalesce(current_setting('app.current_tenant', true), '') AS tenant,
                  coalesce(current_setting('app.current_user', true), '') AS "user",
                  coalesce(current_setting('app.purpose', true), '') AS purpose,
                  current_user = session_user AS "isItself", (SELECT count(*)::int FROM lamina.users) AS users
           FROM pg_sleep(0.05)`,
        );
        await client.query('COMMIT');
        return rows[0];
      }),
    );
    expect(left).toEqual(clients.map(() => ({ tenant: '', user: '', purpose: '', isItself: true, users: 0 })));
    await Promise.all(clients.map((client) => client.end()));
  });

  it('hears of what others write, around it', async () => {
    await using one = await open();
    await using other = await open();
    const reader = other.as({ userId: 'ann' });
    const { position: after } = await reader.events.position({});
    const heard = firstOf(reader.events.follow({ after, signal: AbortSignal.timeout(10_000) }));
    const { memory } = await one.as({ userId: 'ann' }).add({ content: 'the news', layer: 'user' });
    expect(await heard).toMatchObject({ type: 'created', memoryId: memory.id });
  });
}

async function firstOf<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  for await (const item of items) return item;
  return undefined;
}

describeOnPostgres('PostgreSQL behind PgBouncer', () => {
  describeWith('in transaction mode', whyNoPooler(), pooled);
});
