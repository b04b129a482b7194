/** What one call asks of an engine stays small, however much it is about; and what has gone leaves no cached vector. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { replaced } from '../src/compose/replay.ts';
import { systemClock, systemIds } from '../src/compose/system.ts';
import { put } from '../src/core/records/record.ts';
import { LaminaError } from '../src/domain/error.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { RedisStandIn } from '../src/engines/redis/redis-stand-in.ts';
import { SqliteEntryTouches } from '../src/engines/sqlite/sqlite-entry-touches.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Engine } from '../src/ports/engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

async function openEngine(): Promise<SqliteEngine> {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  return new SqliteEngine({ folder, clock: systemClock });
}

/** The same engine, of whose entries some methods are watched. */
function watched(engine: Engine, methods: (entries: Engine['entries']) => Partial<Engine['entries']>): Engine {
  const { entries } = engine;
  const own = methods(entries);
  const get = (target: object, name: string): unknown => {
    const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : target, name);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  const seen = new Proxy(entries, { get: (target, name) => get(target, String(name)) });
  return new Proxy(engine, {
    get: (target, name) => {
      const value: unknown = name === 'entries' ? seen : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });

describe('a search', () => {
  it('asks for the statistics of so many terms only, however long the query is', async () => {
    const asked: number[] = [];
    const engine = watched(await openEngine(), (entries) => ({
      textStatistics: (principal, partitions, terms) => {
        asked.push(terms.length);
        return entries.textStatistics(principal, partitions, terms);
      },
    }));
    const memory = untilTestEnds(await Lamina.open({ engine, embedder: new HashEmbedder() })).as({ userId: 'u' });
    await memory.add(user('The heron stands in the pond'));
    const query = ['heron', ...Array.from({ length: 500 }, (_, n) => `word${n}`)].join(' ');
    const { results } = await memory.search({ query, mode: 'keyword', threshold: 0 });
    expect(results.map((result) => result.memory.content)).toEqual(['The heron stands in the pond']);
    // The terms, and those of its words that may be names.
    expect(asked).toEqual([64 + 16]);
  });
});

describe('forgetting', () => {
  it('takes a transaction a page; cut short it has removed whole pages, and can be repeated', async () => {
    let left = Infinity;
    const engine = watched(await openEngine(), (entries) => ({
      transaction: async (principal, work) => {
        left -= 1;
        if (left < 0) throw new Error('cut short');
        return entries.transaction(principal, work);
      },
    }));
    const embedder = new HashEmbedder();
    const memory = untilTestEnds(await Lamina.open({ engine, embedder })).as({ userId: 'u' });
    await memory.addMany(Array.from({ length: 450 }, (_, n) => user(`leaf ${n}`)));
    left = 2;
    await expect(memory.forget({ layer: 'user' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    left = Infinity;
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(50);
    // What is gone has left the cache, too.
    const { texts } = embedder;
    await memory.add(user('leaf 449'));
    expect(embedder.texts).toBe(texts + 1);
    expect(await memory.forget({ layer: 'user' })).toEqual({ deletedCount: 51 });
  });
});

describe('what was merged in a circle', () => {
  it('as something imported may have been, is deleted like anything else', async () => {
    const engine = await openEngine();
    const lamina = untilTestEnds(await Lamina.open({ engine, embedder: new HashEmbedder() }));
    const memory = lamina.as({ userId: 'u' });
    await memory.addMany(['one', 'two'].map(user));
    const { items } = await engine.archive.read(NIL_TENANT, 'entries', 10);
    const [one, two] = items.map(({ entry }) => ({ ...entry, id: systemIds.next(), externalId: `${entry.id} again` }));
    if (one === undefined || two === undefined) expect.unreachable();
    const circle = [
      [one, two],
      [two, one],
    ] as const;
    const merged = circle.map(([entry, other]) => ({
      ...items[0],
      entry: {
        ...entry,
        status: 'archived' as const,
        provenance: { mergedFrom: [other.id], mergedInto: other.id },
      },
    }));
    await engine.archive.write(NIL_TENANT, 'entries', merged as never);
    expect(await memory.delete({ id: one.id })).toEqual({ success: true });
    expect((await memory.get({ id: two.id })).memory).toBeNull();
  });
});

describe('a list', () => {
  it('is counted once for all of its pages, and goes on from cursors that do not say how many there were', async () => {
    let counted = 0;
    const engine = watched(await openEngine(), (entries) => ({
      count: (...given) => {
        counted += 1;
        return entries.count(...given);
      },
    }));
    const memory = untilTestEnds(await Lamina.open({ engine, embedder: new HashEmbedder() })).as({ userId: 'u' });
    await memory.addMany(Array.from({ length: 9 }, (_, n) => user(`leaf ${n}`)));
    const first = await memory.list({ layer: 'user', limit: 3 });
    const second = await memory.list({ layer: 'user', limit: 3, cursor: first.nextCursor ?? '' });
    const third = await memory.list({ layer: 'user', limit: 3, cursor: second.nextCursor ?? '' });
    expect([first, second, third].map(({ totalCount }) => totalCount)).toEqual([9, 9, 9]);
    expect([third.memories.length, third.nextCursor, counted]).toEqual([3, null, 1]);
    const parts = JSON.parse(Buffer.from(first.nextCursor ?? '', 'base64url').toString()) as unknown[];
    const earlier = Buffer.from(JSON.stringify(parts.slice(0, 3))).toString('base64url');
    expect(await memory.list({ layer: 'user', limit: 3, cursor: earlier })).toMatchObject({
      memories: second.memories.map(({ id }) => ({ id })),
      totalCount: 9,
    });
    expect(counted).toBe(2);
  });
});

describe('accesses that cannot be written down', () => {
  it('are given up from a hundred thousand entries on', async () => {
    const touches = new SqliteEntryTouches(() => Promise.reject(new Error('The disk is full.')), systemClock);
    onTestFinished(() => touches.drop());
    for (let page = 0; page < 11; page += 1) touches.add(Array.from({ length: 10_000 }, (_, n) => `${page} ${n}`));
    expect(touches.size).toBe(100_000);
    await expect(touches.flush()).rejects.toThrow('The disk is full.');
    expect(touches.size).toBe(100_000);
  });
});

describe('a value that too many change at once', () => {
  it('is not named: what can pass is written into a log', async () => {
    const engine = untilTestEnds(await openEngine());
    const write = (): Promise<never> => Promise.reject(new LaminaError('VERSION_CONFLICT', 'It has changed.'));
    const standIn = new RedisStandIn(replaced(engine.state, { write }));
    const asked = { mutation: { type: 'set', value: 1 }, maxBytes: 100 } as const;
    const refused = await standIn
      .write({ tenantId: NIL_TENANT, userId: 'u' }, 'plan:p', 'my secret', asked)
      .catch((error: LaminaError) => error);
    expect(refused).toMatchObject({ code: 'UNAVAILABLE', message: 'Too many change this value at once. Try again.' });
    expect(JSON.stringify(refused)).not.toContain('secret');
  });
});

describe('what has expired', () => {
  it('leaves no cached vector when something else takes its name', async () => {
    const clock = new ManualClock();
    const { lamina, embedder } = untilTestEnds(await openLamina({ clock }));
    const memory = lamina.as({ userId: 'u' });
    const expiresAt = new Date(clock.now() + 1000).toISOString();
    await memory.add({ ...user('The old name'), externalId: 'n', expiresAt });
    await memory.semantic.store({ content: 'The old fact', externalId: 'f', userId: 'u', expiresAt });
    clock.advance(2000);
    await memory.add({ ...user('The new name'), externalId: 'n' });
    await memory.semantic.store({ content: 'The new fact', externalId: 'f', userId: 'u' });
    const { texts } = embedder;
    await memory.addMany(['The old name', 'The old fact', 'The new name'].map(user));
    expect(embedder.texts).toBe(texts + 2);
  });
});

describe('putting a record', () => {
  it('under a key of somebody else is refused, and ends', async () => {
    const engine = untilTestEnds(await openEngine());
    const principals = ['alice', 'bob'].map((userId) => ({ tenantId: '00000000-0000-0000-0000-000000000000', userId }));
    const at = new Date(systemClock.now()).toISOString();
    const [first, second] = principals.map((principal) => () => {
      const times = { createdAt: at, updatedAt: at, lastInteraction: at };
      const draft = { sessionId: 's', userId: principal.userId, metadata: {}, ...times };
      return put(engine.records.sessions, principal, 's', draft);
    });
    await first?.();
    await first?.();
    await expect(second?.()).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
  });
});

describe('closing', () => {
  it('goes on when a part of it fails', async () => {
    const engine = untilTestEnds(await openEngine());
    const broken = new Proxy<Engine>(engine, {
      get: (target, name) => (name === 'close' ? () => Promise.reject(new Error('broken')) : Reflect.get(target, name)),
    });
    let isClosed = false;
    class ClosingEmbedder extends HashEmbedder {
      override async close(): Promise<void> {
        isClosed = true;
      }
    }
    const lamina = await Lamina.open({ engine: broken, embedder: new ClosingEmbedder() });
    await expect(lamina.close()).rejects.toThrow('broken');
    expect(isClosed).toBe(true);
  });
});
