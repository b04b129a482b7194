/** Contract: a search opens the layers that its identifiers open, and the most specific one has the word. */

import assert from 'node:assert/strict';
import { NIL_TENANT, type PrincipalInput } from '../domain/principal.ts';
import { LAYERS, type Layer } from '../domain/scope.ts';
import type { Memory } from '../operations/memory.ts';
import { failure, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const ALICE: PrincipalInput = { userId: 'alice', agentId: 'helper' };

const EVERYTHING = {
  agentId: 'helper',
  userId: 'alice',
  sessionId: 's',
  projectId: 'p',
  teamId: 't',
  orgId: 'o',
  companyId: 'c',
} as const;

/** One memory in each layer, from the least specific to the most; different enough not to override one another. */
const NOTES: readonly (readonly [Layer, string])[] = [
  ['company', 'beacon company holidays are generous this year'],
  ['org', 'beacon org chart lists forty engineers'],
  ['team', 'beacon team standup moved to thursday'],
  ['project', 'beacon project ships with sqlite inside'],
  ['session', 'beacon session began with a greeting'],
  ['user', 'beacon user enjoys mountain hiking'],
  ['agent', 'beacon agent prefers short answers'],
];

async function fillLayers(memory: Memory): Promise<void> {
  for (const [layer, content] of NOTES) await memory.add({ content, layer, identifiers: EVERYTHING });
}

export function layersContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('layers', () => {
    test('are open when their identifiers are given', async (subject) => {
      const memory = subject.as(ALICE);
      await fillLayers(memory);
      const searched = async (identifiers: object): Promise<Layer[]> =>
        (await memory.search({ query: 'beacon', identifiers, threshold: 0 })).searchedLayers;
      assert.deepEqual(await searched(EVERYTHING), LAYERS);
      assert.deepEqual(await searched({ userId: 'alice' }), ['user']);
      assert.deepEqual(await searched({ agentId: 'helper' }), []);
      assert.deepEqual(await searched({ agentId: 'helper', userId: 'alice' }), ['agent', 'user']);
      assert.deepEqual(await searched({ sessionId: 's' }), []);
      assert.deepEqual(await searched({ userId: 'alice', sessionId: 's' }), ['user', 'session']);
      assert.deepEqual(await searched({ companyId: 'c', projectId: 'p' }), ['project', 'company']);
      assert.deepEqual(await searched({}), []);
    });

    test('are the caller’s own when nothing is named', async (subject) => {
      const memory = subject.as(ALICE);
      await fillLayers(memory);
      const { results, searchedLayers } = await memory.search({ query: 'beacon', threshold: 0 });
      assert.deepEqual(searchedLayers, ['agent', 'user', 'company']);
      assert.deepEqual(
        results.map(({ layer }) => layer),
        ['agent', 'user'],
      );
    });

    test('have the tenant as the company when nothing is named', async (subject) => {
      const { memory } = await subject.as(ALICE).add({ content: 'The office opens at nine', layer: 'company' });
      assert.deepEqual(memory.identifiers, { companyId: NIL_TENANT });
      const found = await subject.as({ userId: 'bob' }).search({ query: 'the office opens', threshold: 0 });
      assert.deepEqual(
        found.results.map((result) => result.memory.id),
        [memory.id],
      );
    });

    test('that were named must have their identifiers', async (subject) => {
      const memory = subject.as(ALICE);
      await fillLayers(memory);
      const search = (layers: Layer[], identifiers: object): ReturnType<Memory['search']> =>
        memory.search({ query: 'beacon', layers, identifiers, threshold: 0 });
      const error = await failure('MISSING_IDENTIFIER', search(['user', 'session'], { userId: 'alice' }));
      assert.deepEqual(error.details, { layer: 'session', missing: ['sessionId'] });
      await failure('MISSING_IDENTIFIER', search(['agent'], { agentId: 'helper' }));
      await failure('MISSING_IDENTIFIER', search(['company'], {}));
      assert.deepEqual((await search(['team', 'user', 'team'], EVERYTHING)).searchedLayers, ['user', 'team']);
      await failure('MISSING_IDENTIFIER', memory.list({ layer: 'project' }));
      await failure('MISSING_IDENTIFIER', memory.add({ content: 'Nowhere', layer: 'org' }));
      await failure('MISSING_IDENTIFIER', memory.forget({ layer: 'team' }));
    });

    test('come most specific first, then by score', async (subject) => {
      const memory = subject.as(ALICE);
      await fillLayers(memory);
      await memory.addMany(
        ['beacon beacon', 'beacon hiking with friends and many more words about nothing'].map((content) => ({
          content,
          layer: 'project',
          identifiers: EVERYTHING,
        })),
      );
      for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
        const { results } = await memory.search({ query: 'beacon', identifiers: EVERYTHING, threshold: 0, mode });
        const expected = results.toSorted(
          (a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer) || b.score - a.score,
        );
        assert.deepEqual(results, expected);
        assert.equal(results.length, 9);
        for (const { layer, memory: entry } of results) assert.equal(layer, entry.layer);
      }
    });

    test('do not matter when ranked by relevance', async (subject) => {
      const memory = subject.as(ALICE);
      await fillLayers(memory);
      const query = 'company holidays generous year';
      const input = { query, identifiers: EVERYTHING, threshold: 0, rank: 'relevance' } as const;
      const { results } = await memory.search(input);
      assert.equal(nth(results).layer, 'company');
      assert.deepEqual(
        results,
        results.toSorted((a, b) => b.score - a.score),
      );
      assert.equal((await memory.search({ ...input, rank: 'precedence' })).results.at(-1)?.layer, 'company');
    });

    test('that say something else in the same words: all are kept', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.add({ content: 'Mary reports to John', layer: 'user', identifiers: EVERYTHING });
      await memory.add({ content: 'John reports to Mary', layer: 'company', identifiers: EVERYTHING });
      await memory.add({ content: 'john reports to mary.', layer: 'project', identifiers: EVERYTHING });
      for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
        const input = { query: 'who reports to Mary', identifiers: EVERYTHING, threshold: 0, mode } as const;
        const { results, totalCount } = await memory.search(input);
        assert.deepEqual(
          results.map(({ layer }) => layer),
          ['user', 'project'],
        );
        assert.equal(totalCount, 2);
      }
    });

    test('that say the same: the most specific one is kept', async (subject) => {
      const memory = subject.as(ALICE);
      const content = 'Indent with two spaces everywhere';
      for (const layer of ['company', 'project', 'team', 'user'] as const) {
        await memory.add({ content, layer, identifiers: EVERYTHING });
      }
      // Nearly the same: only white space, case and punctuation differ, so that words and meaning are equal.
      await memory.add({ content: 'indent with TWO spaces, everywhere!', layer: 'org', identifiers: EVERYTHING });
      for (const mode of ['hybrid', 'keyword', 'semantic'] as const) {
        for (const rank of ['precedence', 'relevance'] as const) {
          const input = { query: 'indent spaces', identifiers: EVERYTHING, threshold: 0, mode, rank } as const;
          const { results, totalCount } = await memory.search(input);
          assert.deepEqual(
            results.map(({ layer }) => layer),
            ['user'],
          );
          assert.equal(totalCount, 1);
        }
      }
      const withoutUser = { projectId: 'p', companyId: 'c', orgId: 'o' };
      const { results } = await memory.search({ query: 'indent spaces', identifiers: withoutUser, threshold: 0 });
      assert.deepEqual(
        results.map(({ layer }) => layer),
        ['project'],
      );
    });

    test('keep two memories of one scope that are merely alike', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(
        ['order 17 shipped', 'order 18 shipped'].map((content) => ({ content, layer: 'user', kind: 'episodic' })),
      );
      assert.equal((await recalled(memory, { query: 'order shipped' })).length, 2);
    });

    test('of every kind at once take a question of many words', async (subject) => {
      const memory = subject.as(ALICE);
      const kinds = ['semantic', 'episodic', 'procedural'] as const;
      const words = Array.from({ length: 40 }, (_, index) => `term${index}x`);
      for (const layer of LAYERS) {
        for (const kind of kinds) {
          for (const visibility of ['private', 'shared'] as const) {
            const content = `${layer} ${kind} ${visibility} ${words.join(' ')}`;
            await memory.add({ content, layer, kind, visibility, identifiers: EVERYTHING });
          }
        }
      }
      const query = words.toReversed().join(' ');
      const { results } = await memory.search({ query, identifiers: EVERYTHING, mode: 'keyword', threshold: 0 });
      assert.ok(results.length > 0);
      const { totalCount } = await memory.search({ query, identifiers: EVERYTHING, layers: ['user'], threshold: 0 });
      assert.equal(totalCount, 6);
    });
  });
}
