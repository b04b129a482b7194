/** The past on SQLite: more of it at random, how much of it a search looks at, and what comes in between. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { Core } from '../src/core/core.ts';
import { createCore } from '../src/core/create-core.ts';
import type { Dependencies } from '../src/core/dependencies.ts';
import { versionAt } from '../src/core/recall/as-of.ts';
import type { MetadataFilter } from '../src/domain/filter.ts';
import { LaminaError } from '../src/domain/error.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { Entries, EntryStore } from '../src/ports/entry-store.ts';
import { assertRandomPast } from '../src/testing/as-of-looks.ts';
import { entryOf, nextVersion } from '../src/testing/entry-write.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { caller } from './http-caller.ts';
import { dependenciesOn } from './maintenance-dependencies.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const ALICE: Principal = { tenantId: NIL_TENANT, userId: 'alice' };
const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Cannot embed this one text. */
class PickyEmbedder extends HashEmbedder {
  override embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (!texts.includes('The zeppelin lands')) return super.embed(texts);
    return Promise.reject(new LaminaError('EMBEDDING_FAILED', 'The embedder was told to refuse this.'));
  }
}

interface Past {
  readonly memory: Memory;
  readonly embedder: HashEmbedder;
  readonly clock: ManualClock;
}

async function openPast(): Promise<Past> {
  const clock = new ManualClock();
  const { lamina, embedder } = untilTestEnds(await openLamina({ clock }));
  return { memory: lamina.as(ALICE), embedder, clock };
}

/** The core alone, without a cache of vectors. */
async function openCore(): Promise<{ core: Core; dependencies: Dependencies; clock: ManualClock }> {
  const [folder, clock] = [await makeFolder(), new ManualClock()];
  const engine = new SqliteEngine({ folder, clock });
  onTestFinished(async () => {
    await engine.close();
    await removeFolder(folder);
  });
  const dependencies = dependenciesOn(engine, clock);
  return { core: createCore(dependencies), dependencies, clock };
}

describe('a random past', () => {
  it.each([711, 712])('is as the model kept it (%i)', async (seed) => {
    const clock = new ManualClock();
    const subject = untilTestEnds(await openLamina({ clock }));
    const past = { seed, writes: 120, looks: 10, modesPerLook: 3 };
    await assertRandomPast({ ...subject, as: (principal) => subject.lamina.as(principal) }, clock, past);
  });
});

describe('filters', () => {
  it('mean the same for versions as for what is indexed', async () => {
    const { memory, clock } = await openPast();
    const input = { layer: 'user' } as const;
    await memory.add({ ...input, content: 'One', tags: ['t'], metadata: { a: 'x', b: 1, c: true } });
    await memory.add({ ...input, content: 'Two', source: { type: 'manual' }, metadata: { a: 'X', b: '1', d: null } });
    await memory.add({ ...input, content: 'Three', metadata: { e: { g: [2, 1], f: 1 }, b: 1.5, c: false } });
    const knowledgePointer = { sourceType: 'adr', sourceId: '1', contentHash: 'h', syncedAt: isoTime(0) } as const;
    await memory.add({ ...input, content: 'Four', knowledgePointer, metadata: { e: [], constructor: 1 } });
    const custom: Record<string, unknown>[] = [
      { a: 'x' },
      { b: 1 },
      { b: '1' },
      { c: true },
      { d: null },
      { x: null },
      { e: { f: 1, g: [2, 1] } },
      { e: {} },
      { e: [] },
      { constructor: 1 },
      { toString: 1 },
      { a: 'x', b: 1 },
      { a: 'x', b: 2 },
    ];
    const filters: MetadataFilter[] = [
      { tags: ['t', 'u'] },
      { tags: ['u'] },
      { sourceType: 'manual' },
      { hasKnowledgePointer: true },
      { hasKnowledgePointer: false },
      ...custom.map((fields) => ({ custom: fields })),
    ];
    const listed = async (filter: MetadataFilter, asOf?: string): Promise<string[]> =>
      (await memory.list({ ...input, filter, ...(asOf && { asOf }) })).memories.map(({ content }) => content);
    const before: string[][] = [];
    for (const filter of filters) before.push(await listed(filter));
    const asOf = isoTime(clock.now());
    clock.advance(1);
    const { memories } = await memory.list(input);
    for (const { id } of memories)
      await memory.update({ id, importance: 1, tags: ['later'], metadata: { a: 'later' } });
    for (const [index, filter] of filters.entries()) expect(await listed(filter, asOf)).toEqual(before[index]);
    expect(before.filter((contents) => contents.length > 0).length).toBeGreaterThan(10);
  });
});

describe('a search of the past', () => {
  it('looks at a thousand changed memories and embeds half as many texts, and says so', async () => {
    const { memory, embedder, clock } = await openPast();
    const addAll = async (word: string): Promise<void> => {
      for (const batch of [0, 1]) {
        await memory.addMany(
          Array.from({ length: 510 }, (_, n) => ({
            content: `${word} number${batch}x${n}`,
            layer: 'user' as const,
            externalId: `${batch} ${n}`,
          })),
        );
      }
    };
    await addAll('former');
    const asOf = isoTime(clock.now());
    clock.advance(1);
    await addAll('present');
    const before = embedder.texts;
    const input = { query: 'former number1x400', limit: 5, asOf };
    const { results, warnings = [] } = await memory.search(input);
    expect(results[0]?.memory.content).toBe('former number1x400');
    expect(results[0]?.similarity).toBeGreaterThan(0.99);
    expect(warnings.join(' ')).toMatch(/More than 1000 memories.*50\d texts/s);
    expect(embedder.texts - before).toBeLessThanOrEqual(501);
    const { memories, totalCount } = await memory.list({ layer: 'user', asOf, limit: 3 });
    expect([totalCount, memories.every(({ content }) => content.startsWith('former'))]).toEqual([1020, true]);
  });

  it('goes on with words where former texts cannot be embedded, unless meaning alone was asked for', async () => {
    const { core, dependencies, clock } = await openCore();
    const { id } = (await core.add(ALICE, { content: 'The zeppelin lands', layer: 'user' })).memory;
    const kept = (await core.add(ALICE, { content: 'The zeppelin is silver', layer: 'user' })).memory;
    const asOf = isoTime(clock.now());
    clock.advance(1);
    await core.update(ALICE, { id, content: 'The train arrives' });
    await core.archive(ALICE, { id: kept.id });
    const picky = createCore({ ...dependencies, embedder: new PickyEmbedder() });
    const { results, warnings } = await picky.search(ALICE, { query: 'zeppelin', threshold: 0, asOf });
    const similarities = Object.fromEntries(results.map(({ memory, similarity }) => [memory.content, similarity]));
    // What only was archived has its vector still.
    expect(similarities).toEqual({ 'The zeppelin lands': null, 'The zeppelin is silver': expect.any(Number) });
    expect(warnings?.join(' ')).toMatch(/only their words/);
    const semantic = picky.search(ALICE, { query: 'zeppelin', mode: 'semantic', threshold: 0, asOf });
    await expect(semantic).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
  });

  it('tells contents apart as it did then', async () => {
    const { memory, clock } = await openPast();
    const identifiers = { userId: 'alice', projectId: 'p' };
    // The same words but for an article, and not the same vector: only by their words they are one.
    await memory.add({ content: 'Herons nest', layer: 'user', identifiers });
    const other = await memory.add({ content: 'The herons nest', layer: 'project', identifiers });
    const asOf = isoTime(clock.now());
    const search = { query: 'heron', identifiers, threshold: 0 } as const;
    expect((await memory.search(search)).results).toHaveLength(2);
    clock.advance(1);
    await memory.update({ id: other.memory.id, content: 'The owl sleeps' });
    expect((await memory.search({ ...search, asOf })).results).toHaveLength(2);
    expect((await memory.search({ ...search, asOf, mode: 'keyword' })).results).toHaveLength(1);
  });

  it('misses nothing that is changed while it looks, and shows nothing that is deleted or hidden', async () => {
    const { core, dependencies, clock } = await openCore();
    const identifiers = { projectId: 'p' };
    const added = await core.addMany(
      ALICE,
      ['One heron', 'Two herons', 'Three herons', 'Four herons'].map((content) => ({
        content,
        layer: 'project',
        kind: 'episodic',
        visibility: 'shared',
        identifiers,
      })),
    );
    const [one = '', two = '', three = '', four = ''] = added.map(({ memory }) => memory.id);
    const asOf = isoTime(clock.now());
    clock.advance(1);
    await core.update(ALICE, { id: two, content: 'No herons' });
    const between = new Proxy(dependencies.entries, {
      get: (entries, name: keyof Entries) => {
        const method = entries[name]?.bind(entries) as (...input: unknown[]) => Promise<unknown>;
        if (name !== 'candidates') return method;
        return async (...input: unknown[]) => {
          await core.update(ALICE, { id: one, content: 'One goose' });
          const found = await method(...input);
          await core.update(ALICE, { id: three, content: 'Three geese' });
          await core.update(ALICE, { id: four, visibility: 'private' });
          await core.delete(ALICE, { id: two });
          return found;
        };
      },
    });
    const bob = { ...ALICE, userId: 'bob' };
    const looking = createCore({ ...dependencies, entries: between });
    const { results } = await looking.search(bob, { query: 'herons', identifiers, threshold: 0, asOf });
    expect(results.map(({ memory }) => `${memory.content} ${memory.version}`).toSorted()).toEqual([
      'One heron 1',
      'Three herons 1',
    ]);
  });
});

describe('the version of a moment', () => {
  const first = entryOf({ content: 'First' });
  const at = Date.parse(first.createdAt);
  const second = { ...nextVersion(first, { content: 'Second' }), updatedAt: isoTime(at + 10) };
  const third = { ...nextVersion(second, { content: 'Third' }), updatedAt: isoTime(at + 20) };
  const replaced = (memory: typeof first, ms: number): object => ({ memory, replacedAt: isoTime(at + ms) });
  const versionIn = async (history: object[], moment: number): Promise<string | undefined> => {
    const store = { history: async () => history } as unknown as EntryStore;
    return (await versionAt(store, ALICE, third, at + moment))?.content;
  };

  it('is none before it was created, and else the last that was written by then', async () => {
    const history = [replaced(second, 20), replaced(first, 10)];
    const moments = [-1, 0, 9, 10, 19, 20, 30];
    const found = await Promise.all(moments.map((moment) => versionIn(history, moment)));
    expect(found).toEqual([undefined, 'First', 'First', 'Second', 'Second', 'Third', 'Third']);
  });

  it('is unknown where it was not kept', async () => {
    expect(await versionIn([replaced(second, 20)], 5)).toBeUndefined();
    expect(await versionIn([], 5)).toBeUndefined();
  });

  it('within one millisecond is the last of them', async () => {
    const twice = { ...second, updatedAt: isoTime(at) };
    expect(await versionIn([replaced(twice, 20), replaced(first, 0)], 0)).toBe('Second');
  });
});

describe('over HTTP', () => {
  it('the moment is as_of, in the query and in the body', async () => {
    const clock = new ManualClock();
    const { lamina } = untilTestEnds(await openLamina({ clock }));
    const { url } = untilTestEnds(await serveLamina(lamina));
    const call = caller(url, { 'X-User-ID': 'alice' });
    const { json: added } = await call('POST', '/v1/memory/entries', { content: 'Tea, please', layer: 'user' });
    const [path, asOf] = [`/v1/memory/entries/${added.memory.id}`, isoTime(clock.now())];
    clock.advance(1000);
    await call('PATCH', path, { content: 'Coffee, please' });
    const query = `as_of=${asOf}`;
    expect((await call('GET', `${path}?${query}`)).json.memory.content).toBe('Tea, please');
    expect((await call('GET', `${path}/versions?${query}`)).json.versions).toHaveLength(1);
    expect((await call('GET', `/v1/memory/entries?layer=user&${query}`)).json.memories[0].content).toBe('Tea, please');
    const search = { query: 'tea', threshold: 0, as_of: asOf };
    expect((await call('POST', '/v1/memory/entries/search', search)).json.results[0].memory.content).toBe(
      'Tea, please',
    );
    const future = await call('GET', `${path}?as_of=${isoTime(clock.now() + 1)}`);
    expect([future.status, future.json.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(future.json.message).toMatch(/as_of: is in the future/);
    expect((await call('GET', `${path}?as_of=yesterday`)).status).toBe(400);
  });
});
