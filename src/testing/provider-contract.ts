/** Everything that a provider adapter must do, whoever wrote it. */

import assert from 'node:assert/strict';
import { PROVIDER_CAPABILITIES } from '../domain/provider.ts';
import { LAYERS, layerPrecedence, REQUIRED_IDENTIFIERS, type IdentifierName } from '../domain/scope.ts';
import { assertSameMembers, failure, nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { providerListsContract } from './provider-lists.ts';
import { providerTest, type OpenProvider, type ProviderTest } from './provider-subject.ts';

const UNKNOWN_IDS = ['01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88', 'mem_unknown', 'passage-0'];

/** Declares the suite with the given runner. `open` is called once per test. */
export function providerContract(runner: TestRunner, name: string, open: OpenProvider): void {
  const test = providerTest(runner, open);
  runner.describe(`provider contract: ${name}`, () => {
    memories(test);
    layers(test);
    refusals(test);
    providerListsContract(test);
  });
}

function memories(test: ProviderTest): void {
  test('is healthy, and says who it is', async ({ provider, absent }) => {
    assert.ok(provider.name.length > 0 && provider.version.length > 0);
    const { status, latencyMs } = await provider.healthCheck();
    assert.equal(status, 'healthy');
    assert.ok(latencyMs >= 0);
    for (const capability of absent) assert.ok(PROVIDER_CAPABILITIES.includes(capability), capability);
  });

  test('keeps a memory as it was given', async (tester) => {
    const content = 'Straße — 数据库 🗄️ "quoted"\n\tand a second line';
    const metadata = tester.lacks('metadata')
      ? { tags: ['naïve tag', '_layer=company'] }
      : {
          tags: ['a tag'],
          source: { type: 'manual' as const, reference: 'm1' },
          depth: { of: [1, null, 'x'] },
          n: 0.5,
        };
    const added = await tester.add({ content, metadata });
    assert.deepEqual([added.content, added.layer], [content, 'project']);
    assert.equal(added.identifiers.projectId, tester.identifiers.projectId);
    assert.deepEqual(added.metadata, metadata);
    assert.deepEqual(await tester.get(added.id), added);
    assert.deepEqual((await tester.add({ content: 'No metadata at all' })).metadata, {});
  });

  test('changes a memory: metadata is merged key by key, the rest stays', async (tester) => {
    const { provider } = tester;
    const metadata = tester.lacks('metadata')
      ? { tags: ['old'] }
      : { tags: ['old'], kept: 1, replaced: { deep: 'yes' } };
    const old = await tester.add({ content: 'The lighthouse is red', metadata });
    if (tester.lacks('update')) {
      await tester.refused('update', provider.update({ id: old.id, content: 'The lighthouse is white' }));
      assert.deepEqual(await tester.get(old.id), old);
      return;
    }
    const first = await provider.update({ id: old.id, metadata: { replaced: { other: true }, tags: ['new'] } });
    assert.equal(first.embeddingRegenerated, false);
    assert.deepEqual(first.memory.metadata, { kept: 1, replaced: { other: true }, tags: ['new'] });
    assert.equal(first.memory.content, old.content);
    const second = await provider.update({ id: old.id, content: 'The windmill is white' });
    assert.equal(second.embeddingRegenerated, true);
    assert.deepEqual(second.memory.metadata, first.memory.metadata);
    assert.ok(Date.parse(second.memory.updatedAt) >= Date.parse(old.updatedAt));
    assert.equal(second.memory.createdAt, old.createdAt);
    assert.deepEqual(await tester.get(old.id), second.memory);
    assert.deepEqual(await tester.found({ query: 'windmill', layers: ['project'] }), ['The windmill is white']);
  });

  test('deletes a memory from everywhere, once', async (tester) => {
    const { id } = await tester.add({ content: 'The lighthouse is red' });
    await tester.add({ content: 'The lighthouse keeper sleeps' });
    assert.deepEqual(await tester.provider.delete({ id }), { success: true });
    assert.equal(await tester.get(id), null);
    assert.deepEqual(await tester.found({ query: 'lighthouse red' }), ['The lighthouse keeper sleeps']);
    const { identifiers } = tester;
    assert.equal((await tester.provider.list({ layer: 'project', identifiers })).totalCount, 1);
    assert.deepEqual(await tester.provider.delete({ id }), { success: false });
  });

  test('answers absence with null and false, and refuses to change what is not there', async (tester) => {
    const { provider } = tester;
    for (const id of UNKNOWN_IDS) {
      assert.deepEqual(await provider.get({ id }), { memory: null });
      assert.deepEqual(await provider.delete({ id }), { success: false });
      const update = provider.update({ id, content: 'x' });
      await (tester.lacks('update') ? tester.refused('update', update) : failure('MEMORY_NOT_FOUND', update));
    }
  });
}

function layers(test: ProviderTest): void {
  test('keeps the seven layers apart, and searches them in their order', async (tester) => {
    const contents = LAYERS.map((layer, index) => `lighthouse number ${index} of ${layer}`);
    for (const [index, layer] of LAYERS.entries()) await tester.add({ content: nth(contents, index), layer });
    for (const [index, layer] of LAYERS.entries()) {
      const only = [nth(contents, index)];
      assert.deepEqual(await tester.found({ query: 'lighthouse', layers: [layer] }), only);
      const { memories: listed } = await tester.provider.list({ layer, identifiers: tester.identifiers });
      assert.deepEqual(
        listed.map(({ content }) => content),
        only,
      );
    }
    assert.deepEqual(await tester.found({ query: 'lighthouse' }), contents);
  });

  test('keeps scopes of one layer apart, also when one name begins like the other', async (tester) => {
    const { identifiers } = tester;
    for (const name of ['projectId', 'teamId', 'agentId', 'sessionId'] satisfies IdentifierName[]) {
      const layer = nth(LAYERS.filter((candidate) => REQUIRED_IDENTIFIERS[candidate].includes(name)));
      for (const value of ['u1', 'u10']) {
        await tester.add({ content: `lighthouse ${value}`, layer, identifiers: { ...identifiers, [name]: value } });
      }
      for (const value of ['u1', 'u10', 'u']) {
        const asked = { ...identifiers, [name]: value };
        const expected = value === 'u' ? [] : [`lighthouse ${value}`];
        assert.deepEqual(await tester.found({ query: 'lighthouse', layers: [layer], identifiers: asked }), expected);
        const { totalCount } = await tester.provider.list({ layer, identifiers: asked });
        assert.equal(totalCount, expected.length);
      }
    }
  });

  test('lets nobody read what is written for another user, also one of a confusing name', async (tester) => {
    const { identifiers, provider } = tester;
    const personal = ['agent', 'user', 'session'] as const;
    for (const userId of [`${identifiers.userId}2`, `project:${identifiers.projectId}`, 'project']) {
      for (const layer of personal) {
        const other = { content: 'lighthouse secret', layer, identifiers: { ...identifiers, userId } };
        await provider.add(other).catch((error: unknown) => {
          // Refusing to write there at all is as good.
          assert.ok(['FORBIDDEN', 'UNAUTHORIZED'].includes((error as { code?: string }).code ?? ''), String(error));
        });
      }
    }
    assert.deepEqual(await tester.found({ query: 'lighthouse secret' }), []);
    for (const layer of [...personal, 'project'] as const) {
      assert.equal((await provider.list({ layer, identifiers })).totalCount, 0);
    }
  });

  test('does not let metadata move a memory into another layer', async (tester) => {
    const { provider, identifiers } = tester;
    const metadata = { _layer: 'company', _companyId: identifiers.companyId };
    await provider.add({ content: 'lighthouse', layer: 'project', identifiers, metadata }).catch(() => undefined);
    assert.deepEqual(await tester.found({ query: 'lighthouse', layers: ['company'] }), []);
    assert.equal((await provider.list({ layer: 'company', identifiers })).totalCount, 0);
  });

  test('searches the layers that the identifiers open, and no other', async (tester) => {
    const { userId, projectId } = tester.identifiers;
    const search = (identifiers: object): Promise<{ searchedLayers: readonly string[] }> =>
      tester.provider.search({ query: 'anything', identifiers });
    assertSameMembers((await search({ userId, projectId })).searchedLayers, ['user', 'project']);
    const { searchedLayers } = await search(tester.identifiers);
    assert.deepEqual(
      searchedLayers,
      LAYERS.toSorted((a, b) => layerPrecedence(a) - layerPrecedence(b)),
    );
  });
}

function refusals(test: ProviderTest): void {
  test('refuses a layer that lacks its identifier, and one that there is not', async (tester) => {
    const { provider, identifiers } = tester;
    for (const layer of LAYERS) {
      for (const name of REQUIRED_IDENTIFIERS[layer]) {
        const { [name]: _, ...lacking } = identifiers;
        await failure('MISSING_IDENTIFIER', provider.add({ content: 'x', layer, identifiers: lacking }));
        await failure('MISSING_IDENTIFIER', provider.list({ layer, identifiers: lacking }));
        await failure('MISSING_IDENTIFIER', provider.search({ query: 'x', layers: [layer], identifiers: lacking }));
      }
    }
    const layer = 'galaxy' as 'company';
    await failure('INVALID_LAYER', provider.add({ content: 'x', layer, identifiers }));
    await failure('INVALID_LAYER', provider.list({ layer, identifiers }));
    await failure('INVALID_LAYER', provider.search({ query: 'x', layers: [layer], identifiers }));
  });

  test('refuses input that is empty, too long or unknown, and stores nothing of it', async (tester) => {
    const { provider, identifiers } = tester;
    const place = { layer: 'project', identifiers } as const;
    await failure('VALIDATION_FAILED', provider.add({ ...place, content: ' \n' }));
    await failure(
      'VALIDATION_FAILED',
      provider.add({ ...place, content: 'x', colour: 'red' } as typeof place & { content: string }),
    );
    await failure('CONTENT_TOO_LONG', provider.add({ ...place, content: 'x'.repeat(2_000_000) }));
    await failure('VALIDATION_FAILED', provider.search({ query: '  ', identifiers }));
    await failure('QUERY_TOO_LONG', provider.search({ query: 'x '.repeat(1_000_000), identifiers }));
    await failure('VALIDATION_FAILED', provider.list({ ...place, limit: 101 }));
    assert.equal((await provider.list(place)).totalCount, 0);
  });

  test('refuses what it declares as absent, and does what it does not', async (tester) => {
    const { provider, identifiers } = tester;
    const place = { layer: 'project', identifiers } as const;
    const tagged = provider.add({ ...place, content: 'lighthouse', metadata: { colour: 'red' } });
    if (tester.lacks('metadata')) await tester.refused('metadata', tagged);
    else assert.deepEqual((await tagged).memory.metadata, { colour: 'red' });
    const strict = provider.search({ query: 'lighthouse', identifiers, threshold: 1 });
    if (tester.lacks('threshold')) await tester.refused('threshold', strict);
    else assert.ok((await strict).results.every(({ score }) => score === 1));
    const embedding = provider.generateEmbedding('lighthouse');
    if (tester.lacks('embedding')) return tester.refused('embedding', embedding);
    const vectors = [await embedding, await provider.generateEmbedding('a much longer text about something else')];
    assert.ok(vectors.every((vector) => vector.length > 0 && vector.every(Number.isFinite)));
    assert.equal(new Set(vectors.map(({ length }) => length)).size, 1);
  });
}
