/** Provider contract: pages, totals, filters, and many at once. */

import assert from 'node:assert/strict';
import type { MetadataFilter } from '../domain/filter.ts';
import { assertSameMembers, failure } from './contract-assertions.ts';
import type { ProviderTest, ProviderTester } from './provider-subject.ts';

export function providerListsContract(test: ProviderTest): void {
  test('pages through a list: everything once, with the total on each page', async (tester) => {
    const { provider, identifiers } = tester;
    const contents = Array.from({ length: 5 }, (_, index) => `lighthouse number ${index}`);
    for (const content of contents) await tester.add({ content });
    const place = { layer: 'project', identifiers, limit: 2 } as const;
    const seen: string[] = [];
    let cursor: string | null | undefined;
    let pages = 0;
    do {
      const page = await provider.list({ ...place, ...(cursor && { cursor }) });
      assert.equal(page.totalCount, 5);
      seen.push(...page.memories.map(({ content }) => content));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== null);
    assert.equal(pages, 3);
    assertSameMembers(seen, contents);
    const empty = await provider.list({ ...place, identifiers: { projectId: 'nothing' } });
    assert.deepEqual(empty, { memories: [], nextCursor: null, totalCount: 0 });
  });

  test('refuses a cursor that is broken or of another list', async (tester) => {
    const { provider, identifiers } = tester;
    for (const index of [1, 2, 3]) await tester.add({ content: `lighthouse number ${index}` });
    const place = { layer: 'project', identifiers, limit: 1 } as const;
    const { nextCursor } = await provider.list(place);
    assert.ok(nextCursor !== null);
    await failure('VALIDATION_FAILED', provider.list({ ...place, cursor: 'nonsense' }));
    const other = { ...identifiers, projectId: 'other' };
    await failure('VALIDATION_FAILED', provider.list({ ...place, identifiers: other, cursor: nextCursor }));
  });

  test('limits a search, and counts what there was', async (tester) => {
    const { provider, identifiers } = tester;
    for (const index of [1, 2, 3]) await tester.add({ content: `lighthouse number ${index}` });
    const { results, totalCount } = await provider.search({
      query: 'lighthouse',
      identifiers,
      limit: 2,
      ...(!tester.lacks('threshold') && { threshold: 0 }),
    });
    assert.deepEqual([results.length, totalCount], [2, 3]);
  });

  test('filters by what is attached', async (tester) => {
    await tester.add({ content: 'lighthouse tagged', metadata: { tags: ['red', 'tall'] } });
    await tester.add({ content: 'lighthouse plain' });
    await filters(tester, { tags: ['green', 'tall'] }, ['lighthouse tagged']);
    await filters(tester, { tags: ['green'] }, []);
    if (tester.lacks('metadata')) return;
    const knowledgePointer = {
      sourceType: 'adr',
      sourceId: 'adr-042',
      contentHash: 'sha256:abc',
      syncedAt: '2026-01-07T09:00:00.000Z',
    } as const;
    await tester.add({
      content: 'lighthouse known',
      metadata: { source: { type: 'knowledge_sync' }, knowledgePointer, colour: 'red', floors: 3 },
    });
    await filters(tester, { sourceType: 'knowledge_sync' }, ['lighthouse known']);
    await filters(tester, { hasKnowledgePointer: true }, ['lighthouse known']);
    await filters(tester, { hasKnowledgePointer: false }, ['lighthouse tagged', 'lighthouse plain']);
    await filters(tester, { custom: { colour: 'red', floors: 3 } }, ['lighthouse known']);
    await filters(tester, { custom: { colour: 'red', floors: 4 } }, []);
  });

  test('adds and deletes many at once, where it does so', async (tester) => {
    const { provider, identifiers } = tester;
    const inputs = [1, 2, 3].map((index) => ({
      content: `lighthouse number ${index}`,
      layer: 'project' as const,
      identifiers,
    }));
    if (provider.bulkAdd) {
      const outputs = await provider.bulkAdd(inputs);
      assert.deepEqual(
        outputs.map(({ memory }) => memory.content),
        inputs.map(({ content }) => content),
      );
      assert.deepEqual(await provider.bulkAdd([]), []);
    }
    if (!provider.bulkDelete) return;
    const { memory } = await provider.add({ content: 'lighthouse', layer: 'project', identifiers });
    assert.deepEqual(await provider.bulkDelete([memory.id, 'unknown']), { deleted: 1, failed: ['unknown'] });
    assert.equal(await tester.get(memory.id), null);
  });
}

/** The same in a list and in a search. */
async function filters(tester: ProviderTester, filter: MetadataFilter, expected: readonly string[]): Promise<void> {
  const { memories, totalCount } = await tester.provider.list({
    layer: 'project',
    identifiers: tester.identifiers,
    filter,
  });
  assertSameMembers(
    memories.map(({ content }) => content),
    expected,
  );
  assert.equal(totalCount, expected.length);
  assertSameMembers(await tester.found({ query: 'lighthouse', filter }), expected);
}
