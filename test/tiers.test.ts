/** The tiers of memory, engine aside: what they refuse, what happens in between, and how far something came. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_LIMITS } from '../src/domain/limits.ts';
import type { Memory } from '../src/operations/memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const ALICE = { userId: 'alice', agentId: 'advisor' };
const SESSION = { sessionId: 's' };
const PLACE = { ...SESSION, key: 'k' };
const TASK = { agentId: 'advisor', taskId: 't' };

async function open(options: Parameters<typeof openLamina>[0] = {}): Promise<Memory> {
  return untilTestEnds(await openLamina(options)).lamina.as(ALICE);
}

const TIMES = [0, -1, 1.5, 1e12, '60' as never];
const NAMES = ['', '.', '..', 'x'.repeat(101), 'a\0b'];

describe('bad input changes nothing', () => {
  it('of short-term memory', async () => {
    const { shortTerm } = await open();
    const refused = { code: 'VALIDATION_FAILED' };
    for (const ttlSeconds of TIMES) {
      await expect(shortTerm.write({ ...PLACE, value: 1, ttlSeconds })).rejects.toMatchObject(refused);
    }
    for (const name of NAMES) {
      await expect(shortTerm.write({ ...PLACE, key: name, value: 1 })).rejects.toMatchObject(refused);
      await expect(shortTerm.list({ sessionId: name })).rejects.toMatchObject(refused);
    }
    await expect(shortTerm.write({ ...PLACE, value: 1, type: 'dream' as never })).rejects.toMatchObject(refused);
    await expect(shortTerm.write({ ...PLACE } as never)).rejects.toMatchObject(refused);
    const { valueBytes } = DEFAULT_LIMITS;
    const largest = 'x'.repeat(valueBytes - 2);
    await expect(shortTerm.write({ ...PLACE, value: `${largest}x` })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: valueBytes, actual: valueBytes + 1 },
    });
    expect((await shortTerm.list(SESSION)).count).toBe(0);
    expect((await shortTerm.write({ ...PLACE, value: largest })).value).toBe(largest);
    await expect(shortTerm.refreshTtl({ ...PLACE, key: 'nothing' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of the working memory of agents', async () => {
    const { agentMemory } = await open();
    const refused = { code: 'VALIDATION_FAILED' };
    for (const ttlSeconds of TIMES) {
      const calls = [
        agentMemory.store({ ...TASK, key: 'k', value: 1, ttlSeconds }),
        agentMemory.storeTaskState({ ...TASK, state: 1, ttlSeconds }),
        agentMemory.appendToConversation({ ...TASK, messages: [1], ttlSeconds }),
        agentMemory.appendToScratchPad({ ...TASK, content: 'x', ttlSeconds }),
        agentMemory.share({ agentId: 'advisor', key: 'k', value: 1, targetAgentId: 'x', ttlSeconds }),
        agentMemory.persist({ ...TASK, ttlSeconds }),
      ];
      for (const call of calls) await expect(call).rejects.toMatchObject(refused);
    }
    const share = { agentId: 'advisor', key: 'k', targetAgentId: 'x' };
    for (const bad of [share, { ...share, value: 1, from: { agentId: 'y' } }]) {
      await expect(agentMemory.share(bad)).rejects.toMatchObject(refused);
    }
    await expect(agentMemory.share({ agentId: 'advisor', key: 'k', value: 1 })).rejects.toMatchObject({
      code: 'MISSING_IDENTIFIER',
    });
    const conflict = { code: 'VERSION_CONFLICT', message: expect.stringContaining('under "k",') as string };
    await expect(agentMemory.store({ ...TASK, key: 'k', value: 1, ifVersion: 7 })).rejects.toMatchObject(conflict);
    const { version } = await agentMemory.store({ ...TASK, key: 'k', value: 1 });
    const removal = { ...TASK, key: 'k', ifVersion: version + 1 };
    await expect(agentMemory.remove(removal)).rejects.toMatchObject(conflict);
    await agentMemory.remove({ ...removal, ifVersion: version });
    await expect(agentMemory.storeConversation({ ...TASK, messages: 'hello' as never })).rejects.toMatchObject(refused);
    await expect(agentMemory.storeScratchPad({ ...TASK, content: 1 as never })).rejects.toMatchObject(refused);
    expect((await agentMemory.clear(TASK)).deletedCount).toBe(0);
  });

  it('of the router', async () => {
    const { router, pools } = await open();
    const refused = { code: 'VALIDATION_FAILED' };
    for (const tier of ['archive', 'SHORT_TERM', '']) {
      await expect(router.read({ ...PLACE, tier: tier as never })).rejects.toMatchObject(refused);
      await expect(router.write({ ...PLACE, value: 1, tier: tier as never })).rejects.toMatchObject(refused);
      await expect(router.delete({ ...PLACE, tier: tier as never })).rejects.toMatchObject(refused);
    }
    for (const ttlSeconds of TIMES) {
      await expect(router.write({ ...PLACE, value: 1, ttlSeconds })).rejects.toMatchObject(refused);
    }
    await pools.create({ poolId: 'p' });
    const writes = [
      { ...PLACE, value: 1, tier: 'working', type: 'reflection' },
      { ...PLACE, value: 1, tier: 'long_term', ttlSeconds: 60 },
      { ...PLACE, value: 1, tier: 'shared', poolId: 'p', key: 'a..b' },
    ] as const;
    for (const write of writes) await expect(router.write(write)).rejects.toMatchObject(refused);
    const long = { ...PLACE, tier: 'long_term' } as const;
    await expect(router.write({ ...long, value: 'x'.repeat(40_000) })).rejects.toMatchObject({
      code: 'CONTENT_TOO_LONG',
    });
    for (const minAccesses of [0, -1, 1.5]) {
      await expect(router.consolidate({ ...SESSION, minAccesses })).rejects.toMatchObject(refused);
    }
    expect(await router.read({ ...PLACE, poolId: 'p' })).toBeNull();
  });
});

/** Holds on to every text until it is released. */
class HoldingEmbedder extends HashEmbedder {
  readonly held = Promise.withResolvers<void>();
  readonly released = Promise.withResolvers<void>();

  override async embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.held.resolve();
    await this.released.promise;
    return super.embed(texts);
  }
}

async function readOften({ shortTerm }: Memory): Promise<void> {
  for (let read = 0; read < 3; read += 1) await shortTerm.get(PLACE);
}

describe('consolidation', () => {
  it('leaves a value that changed meanwhile, and remembers that one the next time', async () => {
    const embedder = new HoldingEmbedder();
    const memory = await open({ embedder });
    await memory.shortTerm.write({ ...PLACE, value: 'before' });
    await readOften(memory);
    const consolidating = memory.router.consolidate(SESSION);
    await embedder.held.promise;
    await memory.shortTerm.write({ ...PLACE, value: 'after' });
    embedder.released.resolve();
    expect((await consolidating).created).toBe(1);
    expect((await memory.shortTerm.get(PLACE))?.value).toBe('after');
    expect((await memory.router.read({ ...PLACE, tier: 'long_term' }))?.value).toBe('before');
    expect((await memory.router.consolidate(SESSION)).updated).toBe(1);
    expect((await memory.router.read(PLACE))?.value).toBe('after');
  });

  it('loses nothing when it cannot embed, and can be repeated by many at once', async () => {
    const embedder = new HashEmbedder();
    const memory = await open({ embedder });
    await memory.shortTerm.write({ ...PLACE, value: 'worth keeping' });
    await readOften(memory);
    embedder.fail = true;
    await expect(memory.router.consolidate(SESSION)).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
    expect((await memory.shortTerm.get(PLACE))?.value).toBe('worth keeping');
    embedder.fail = false;
    const all = await Promise.all(Array.from({ length: 8 }, () => memory.router.consolidate(SESSION)));
    const sum = (outcome: 'created' | 'updated' | 'merged'): number => all.reduce((of, each) => of + each[outcome], 0);
    expect([sum('created'), sum('updated'), sum('merged')]).toEqual([1, 0, 0]);
    const { memories } = await memory.list({ layer: 'agent' });
    expect(memories.map(({ content, version }) => [content, version])).toEqual([['worth keeping', 1]]);
  });
});

describe('what is shared, where no pool is named', () => {
  it('is looked for in one’s own pools and those one was let into, however many public ones there are', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const [alice, bob, mallory] = ['alice', 'bob', 'mallory'].map((userId) => lamina.as({ userId })) as [
      Memory,
      Memory,
      Memory,
    ];
    await alice.pools.create({ poolId: 'own' });
    await alice.pools.write({ poolId: 'own', key: 'mine', value: 'of alice' });
    await bob.pools.create({ poolId: 'granted', access: { read: ['alice'] } });
    await bob.pools.write({ poolId: 'granted', key: 'ours', value: 'of bob' });
    for (let index = 0; index < 60; index += 1) {
      const poolId = `public-${index}`;
      await mallory.pools.create({ poolId, access: { publicRead: true } });
      for (const key of ['mine', 'ours', 'theirs']) await mallory.pools.write({ poolId, key, value: index });
    }
    const read = async (memory: Memory, key: string): Promise<unknown> => (await memory.router.read({ key }))?.value;
    expect([await read(alice, 'mine'), await read(alice, 'ours')]).toEqual(['of alice', 'of bob']);
    await mallory.pools.write({ poolId: 'public-20', key: 'theirs', value: 'latest' });
    expect(await read(alice, 'theirs')).toBe('latest');
    expect((await mallory.pools.statistics({ poolId: 'public-59' })).accesses, 'only the answer is read').toBe(0);
  });
});

describe('persisted working memory', () => {
  it('is replaced as a whole, or not at all', async () => {
    const { agentMemory } = await open({ limits: { valueBytes: 100 } });
    await agentMemory.store({ ...TASK, key: 'first', value: 1 });
    await agentMemory.persist(TASK);
    for (let index = 0; index < 20; index += 1) {
      await agentMemory.store({ ...TASK, key: `k${index}`, value: 'x'.repeat(90) });
    }
    await expect(agentMemory.persist(TASK)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await agentMemory.clear(TASK);
    expect((await agentMemory.load(TASK)).loadedCount).toBe(1);
    await agentMemory.clear(TASK);
    expect((await agentMemory.persist(TASK)).persistedCount).toBe(0);
    expect((await agentMemory.load(TASK)).loadedCount).toBe(0);
  });

  it('says how far it came when it could not be loaded as a whole', async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    const roomy = await openLamina({ folder });
    const { agentMemory } = roomy.lamina.as(ALICE);
    for (const [key, value] of Object.entries({ a: 'small', b: 'x'.repeat(60), c: 'small' })) {
      await agentMemory.store({ ...TASK, key, value });
    }
    await agentMemory.persist(TASK);
    await agentMemory.clear(TASK);
    await roomy.close();
    const narrow = await open({ folder, limits: { valueBytes: 20 } });
    await expect(narrow.agentMemory.load(TASK)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { loadedCount: 1, totalCount: 3 },
    });
    expect((await narrow.agentMemory.keys(TASK)).keys).toEqual(['a']);
  });
});
