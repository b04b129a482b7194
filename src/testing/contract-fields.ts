/** Contract: metadata is free JSON that is merged, and the fields that the specification keeps inside it are fields too. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { failure, listed, nth } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };

const POINTER = {
  sourceType: 'policy',
  sourceId: 'POL-3',
  contentHash: 'beef',
  syncedAt: '2026-02-03T04:05:06.000Z',
} as const;

const TIMES = ['validFrom', 'validTo', 'expiresAt'] as const;
const FAR_AWAY = '2999-01-01T00:00:00.000Z';

export function fieldsContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('metadata', () => {
    test('is merged key by key, not deeper', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (
        await memory.add({
          content: 'Merged',
          layer: 'user',
          metadata: { kept: 1, replaced: { a: 1, b: 2 }, cleared: 'x' },
        })
      ).memory;
      const { metadata } = (await memory.update({ id, metadata: { replaced: { c: 3 }, cleared: null, added: [1] } }))
        .memory;
      assert.deepEqual(metadata, { kept: 1, replaced: { c: 3 }, cleared: null, added: [1] });
      assert.deepEqual((await memory.get({ id })).memory?.metadata, metadata);
    });

    test('loses the keys that a change takes out of it, before what is given is merged', async (subject) => {
      const memory = subject.as(ALICE);
      const metadata = { kept: 1, gone: { a: 1 }, changed: 'x', nothing: null, tags: ['a'] };
      const { id, version } = (await memory.add({ content: 'Taken out', layer: 'user', metadata })).memory;
      const removeMetadata = ['gone', 'changed', 'tags', 'was never there'];
      const { memory: next } = await memory.update({ id, removeMetadata, metadata: { changed: 'y' } });
      assert.deepEqual(next.metadata, { kept: 1, nothing: null, changed: 'y' });
      assert.deepEqual([next.version, next.tags], [version + 1, ['a']]);
      assert.deepEqual((await memory.get({ id })).memory?.metadata, next.metadata);
      assert.equal((await memory.update({ id, removeMetadata: ['gone'] })).memory.version, next.version);
      await failure('VALIDATION_FAILED', memory.update({ id, removeMetadata: ['knowledge.source'] }));
    });

    test('is merged by a second write of the same memory as well', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add({ content: 'Written twice', layer: 'user', metadata: { a: 1, b: 1 }, tags: ['old'] });
      const second = await memory.add({ content: 'Written twice', layer: 'user', metadata: { b: 2 }, importance: 0.9 });
      assert.equal(second.status, 'updated');
      assert.deepEqual(second.memory.metadata, { a: 1, b: 2 });
      assert.deepEqual(second.memory.tags, ['old']);
      assert.equal(second.memory.importance, 0.9);
    });

    test('keeps keys that mean something to programs', async (subject) => {
      const memory = subject.as(ALICE);
      const metadata = {
        constructor: 'c',
        toString: 't',
        hasOwnProperty: 1,
        '': 'empty',
        '2': 'two',
        '10': 'ten',
        snake_case: 1,
        camelCase: 2,
        'sp ace': 3,
        ключ: 4,
        "it's": 5,
      };
      const { id } = (await memory.add({ content: 'Keys', layer: 'user', metadata })).memory;
      assert.deepEqual((await memory.get({ id })).memory?.metadata, metadata);
    });

    test('that says nothing new makes no new version', async (subject) => {
      const memory = subject.as(ALICE);
      const metadata = { absent: undefined, zero: -0, list: [1, { y: 1, x: 2 }] };
      const { id } = (await memory.add({ content: 'Said already', layer: 'user', metadata })).memory;
      const again = await memory.update({ id, metadata: { zero: 0, list: [1, { x: 2, y: 1 }], absent: undefined } });
      assert.equal(again.memory.version, 1);
      assert.deepEqual(again.memory.metadata, { zero: 0, list: [1, { x: 2, y: 1 }] });
    });

    test('stays within its limit also when it grows write by write', async (subject) => {
      const memory = subject.as(ALICE);
      const half = 'x'.repeat(40 * 1024);
      const input = { content: 'Growing', layer: 'user', externalId: 'growing' } as const;
      const { id } = (await memory.add({ ...input, metadata: { one: half } })).memory;
      const error = await failure('LIMIT_EXCEEDED', memory.update({ id, metadata: { two: half } }));
      assert.equal(error.details?.['limit'], 64 * 1024);
      await failure('LIMIT_EXCEEDED', memory.add({ ...input, metadata: { two: half } }));
      const entry = (await memory.get({ id })).memory;
      assert.deepEqual(Object.keys(entry?.metadata ?? {}), ['one']);
      assert.equal(entry?.version, 1);
    });
  });

  runner.describe('fields of the specification inside metadata', () => {
    test('set the fields and stay where they were put', async (subject) => {
      const memory = subject.as(ALICE);
      const metadata = {
        tags: ['a', 'b'],
        source: { type: 'conversation', reference: 'message-1' },
        knowledgePointer: POINTER,
        relevance: 0.4,
        decayFactor: 0.2,
        other: true,
      };
      const entry = (await memory.add({ content: 'As the specification writes it', layer: 'user', metadata })).memory;
      assert.deepEqual(entry.metadata, metadata);
      assert.deepEqual(entry.tags, metadata.tags);
      assert.deepEqual(entry.source, metadata.source);
      assert.deepEqual(entry.knowledgePointer, POINTER);
      assert.equal(entry.relevance, 0.4);
      assert.equal(entry.decayFactor, 0.2);
      const filter = { tags: ['b'], sourceType: 'conversation' as const, hasKnowledgePointer: true };
      assert.equal((await memory.list({ layer: 'user', filter })).totalCount, 1);
    });

    test('follow the field, and the field follows them', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (
        await memory.add({ content: 'Both ways', layer: 'user', metadata: { tags: ['a'], relevance: 0.4 } })
      ).memory;
      const byField = (await memory.update({ id, tags: ['c'], relevance: 0.5 })).memory;
      assert.deepEqual([byField.tags, byField.relevance], [['c'], 0.5]);
      assert.deepEqual(byField.metadata, { tags: ['c'], relevance: 0.5 });
      const byMetadata = (await memory.update({ id, metadata: { tags: ['d'] } })).memory;
      assert.deepEqual(byMetadata.tags, ['d']);
      assert.deepEqual(byMetadata.metadata, { tags: ['d'], relevance: 0.5 });
      assert.deepEqual((await memory.get({ id })).memory?.metadata, byMetadata.metadata);
    });

    test('may be spelled in snake_case', async (subject) => {
      const memory = subject.as(ALICE);
      const pointer = { source_type: 'adr', source_id: 'ADR-1', content_hash: 'cafe', synced_at: POINTER.syncedAt };
      const entry = (
        await memory.add({
          content: 'Over the wire',
          layer: 'user',
          metadata: { knowledge_pointer: pointer, decay_factor: 0.3 },
        })
      ).memory;
      assert.equal(entry.decayFactor, 0.3);
      assert.deepEqual(entry.knowledgePointer, {
        sourceType: 'adr',
        sourceId: 'ADR-1',
        contentHash: 'cafe',
        syncedAt: POINTER.syncedAt,
      });
      assert.deepEqual(entry.metadata, { knowledge_pointer: pointer, decay_factor: 0.3 });
    });

    test('that merely look alike are free JSON', async (subject) => {
      const memory = subject.as(ALICE);
      const metadata = {
        tags: 'one, two',
        source: 'docs',
        knowledgePointer: { sourceType: 'rumour' },
        relevance: 'high',
        decayFactor: 7,
      };
      const entry = (await memory.add({ content: 'Looks alike', layer: 'user', metadata })).memory;
      assert.deepEqual(entry.metadata, metadata);
      assert.deepEqual([entry.tags, entry.source, entry.knowledgePointer], [[], undefined, undefined]);
      assert.deepEqual([entry.relevance, entry.decayFactor], [1, 1]);
      const found = await memory.list({ layer: 'user', filter: { custom: { source: 'docs' } } });
      assert.equal(nth(found.memories).id, entry.id);
      assert.equal((await memory.list({ layer: 'user', filter: { hasKnowledgePointer: true } })).totalCount, 0);
    });

    test('given both ways, the field counts', async (subject) => {
      const { memory } = await subject
        .as(ALICE)
        .add({ content: 'Twice said', layer: 'user', tags: ['field'], metadata: { tags: ['metadata'] } });
      assert.deepEqual(memory.tags, ['field']);
      assert.deepEqual(memory.metadata, { tags: ['field'] });
    });
  });

  runner.describe('other fields', () => {
    const clock = new ManualClock();
    test('tags are a set in their given order', async (subject) => {
      const { memory } = await subject
        .as(ALICE)
        .add({ content: 'Tagged', layer: 'user', tags: ['z', 'a', 'z', 'A', 'a'] });
      assert.deepEqual(memory.tags, ['z', 'a', 'A']);
    });

    test('a span of time must not end before it begins, whatever the offsets', async (subject) => {
      const memory = subject.as(ALICE);
      const add = (validFrom: string, validTo: string): Promise<unknown> =>
        memory.add({ content: `From ${validFrom} to ${validTo}`, layer: 'user', validFrom, validTo });
      await add('2026-01-01T10:00:00+10:00', '2026-01-01T01:00:00Z');
      await add('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.500Z');
      await failure('VALIDATION_FAILED', add('2026-01-01T01:00:00Z', '2026-01-01T10:00:00+10:00'));
      await failure('VALIDATION_FAILED', add('2026-01-01T00:00:00.500Z', '2026-01-01T00:00:00Z'));
      assert.equal((await memory.list({ layer: 'user' })).totalCount, 2);
    });

    test('a span of time stays one when its ends are written one after the other', async (subject) => {
      const memory = subject.as(ALICE);
      const input = { content: 'Spanning', layer: 'user' } as const;
      const { id } = (await memory.add({ ...input, validFrom: '2026-02-01T00:00:00Z' })).memory;
      await failure('VALIDATION_FAILED', memory.update({ id, validTo: '2026-01-01T00:00:00Z' }));
      await failure('VALIDATION_FAILED', memory.add({ ...input, validTo: '2026-01-01T00:00:00Z' }));
      assert.equal((await memory.update({ id, validTo: '2026-03-01T00:00:00Z' })).memory.version, 2);
    });

    test('a time is taken away by null, as another version', async (subject) => {
      const memory = subject.as(ALICE);
      const times = { validFrom: '2026-02-01T00:00:00Z', validTo: '2026-03-01T00:00:00Z', expiresAt: FAR_AWAY };
      const { id } = (await memory.add({ content: 'Bounded', layer: 'user', ...times })).memory;
      const unbounded = (await memory.update({ id, validTo: null, importance: 0.9 })).memory;
      assert.deepEqual(
        [unbounded.version, unbounded.validFrom, unbounded.validTo, unbounded.expiresAt, unbounded.importance],
        [2, '2026-02-01T00:00:00.000Z', undefined, FAR_AWAY, 0.9],
      );
      const { memory: bare, embeddingRegenerated } = await memory.update({ id, validFrom: null, expiresAt: null });
      assert.deepEqual(
        [bare.version, embeddingRegenerated, ...TIMES.map((name) => name in bare)],
        [3, false, false, false, false],
      );
      assert.deepEqual((await memory.get({ id })).memory, bare);
      assert.deepEqual((await memory.list({ layer: 'user' })).memories, [bare]);
      const again = await memory.update({ id, validFrom: null, validTo: null, expiresAt: null });
      assert.equal(again.memory.version, 3, 'it had none');
      const { versions } = await memory.versions({ id });
      assert.deepEqual(
        versions.map((version) => TIMES.map((name) => version.memory[name] !== undefined)),
        [
          [false, false, false],
          [true, false, true],
          [true, true, true],
        ],
      );
    });

    test(
      'what was to expire stays once that is taken away',
      async (subject) => {
        const memory = subject.as(ALICE);
        const expiresAt = new Date(clock.now() + 1000).toISOString();
        const { id } = (await memory.add({ content: 'The ferry leaves at noon', layer: 'user', expiresAt })).memory;
        await memory.search({ query: 'ferry' });
        await memory.update({ id, expiresAt: null });
        clock.advance(2000);
        assert.equal((await memory.get({ id })).memory?.version, 2);
        assert.deepEqual(await listed(memory, { layer: 'user' }), ['The ferry leaves at noon']);
        assert.equal((await memory.search({ query: 'ferry', threshold: 0 })).results.length, 1);
      },
      { clock },
    );

    test(
      'what would be over at once is refused, whoever is to remember it',
      async (subject) => {
        const memory = subject.as(ALICE);
        const over = { content: 'Over', expiresAt: new Date(clock.now()).toISOString() };
        const { id } = (await memory.add({ content: 'Stays', layer: 'user' })).memory;
        const { contextId } = await memory.contexts.create({ type: 'knowledge_base' });
        const calls: [() => Promise<unknown>, string][] = [
          [() => memory.add({ ...over, layer: 'user' }), 'expiresAt'],
          [
            () =>
              memory.addMany([
                { content: 'Fine', layer: 'user' },
                { ...over, layer: 'user' },
              ]),
            'memories.1.expiresAt',
          ],
          [() => memory.update({ id, expiresAt: over.expiresAt }), 'expiresAt'],
          [() => memory.semantic.store(over), 'expiresAt'],
          [() => memory.semantic.upsert(over), 'expiresAt'],
          [() => memory.episodic.log({ ...over, agentId: 'a', role: 'user' }), 'expiresAt'],
          [() => memory.procedural.add({ ...over, agentId: 'a', procedureType: 'system_prompt' }), 'expiresAt'],
          [() => memory.contextEntries.put({ ...over, contextId, key: 'k' }), 'expiresAt'],
        ];
        for (const [call, path] of calls) {
          const { details } = await failure('VALIDATION_FAILED', call());
          assert.deepEqual(details?.['problems'], [{ path, message: 'is over already' }]);
        }
        assert.deepEqual(await listed(memory, { layer: 'user' }), ['Stays']);
        await memory.add({ ...over, layer: 'user', expiresAt: new Date(clock.now() + 1).toISOString() });
      },
      { clock },
    );

    test('times stay within four-digit years', async (subject) => {
      const memory = subject.as(ALICE);
      const add = (expiresAt: string): Promise<unknown> => memory.add({ content: 'The end', layer: 'user', expiresAt });
      await failure('VALIDATION_FAILED', add('9999-12-31T23:59:59-01:00'));
      await failure('VALIDATION_FAILED', add('0000-01-01T00:00:00+01:00'));
      await add('9999-12-31T23:59:59Z');
    });
  });
}
