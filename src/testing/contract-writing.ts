/** Contract: what is written can be read, changed and deleted, and comes back exactly as it was. */

import assert from 'node:assert/strict';
import type { PrincipalInput } from '../domain/principal.ts';
import { failure, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';
import { ManualClock } from './manual-clock.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const ABSENT = '00000000-0000-4000-8000-000000000000';
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Legal text that has broken parsers, indexes and encodings before. */
const HOSTILE: readonly (readonly [name: string, content: string])[] = [
  ['emoji', 'the 👩‍👩‍👧‍👦 family likes 🍕 on fridays'],
  ['right to left', 'الاجتماع يوم الخميس في المكتب'],
  ['mixed directions', 'she said \u202eשלום\u202c and left'],
  ['unspaced script', '会議は木曜日に東京の事務所で行われます'],
  ['combining marks', 'Z̴̢a̷l̸g̶o̵ ate the spreadsheet'],
  ['a very long word', `prefix ${'pneumono'.repeat(500)} suffix`],
  ['full-text syntax', '"quoted* NEAR(apple banana, 3) AND NOT (kiwi OR mango) ^col: {a b}'],
  ['an unbalanced quote', 'the sign reads "no entry'],
  ['SQL', "Robert'); DROP TABLE entries;-- said 'hi'"],
  ['wildcards', '100% of _underscores_ and \\backslashes\\'],
  ['markup', '<script>alert("x")</script> & <b>bold</b>'],
  ['JSON', '{"id": "not-an-id", "nested": [1, null, true]}'],
  ['line breaks', 'first line\r\nsecond\tline\n\n  indented third'],
  ['astral letters', '𐐔𐐯𐐝𐐨𐐡𐐯𐐓 and 𝕄𝕒𝕥𝕙 letters'],
  ['controls', 'bell \u0007 and escape \u001b[31m and delete \u007f'],
  ['only punctuation', '!?... --- ***'],
  ['only stop words', 'to be or not to be'],
  ['zero width', 'zero\u200bwidth\u200djoin\ufeffmark'],
];

export function writingContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('writing and reading', () => {
    test('a new memory has everything that was not said by default', async (subject) => {
      const { memory, status, embeddingGenerated } = await subject
        .as(ALICE)
        .add({ content: 'Alice takes her coffee black', layer: 'user' });
      assert.equal(status, 'created');
      assert.equal(embeddingGenerated, true);
      assert.match(memory.id, UUID_V7);
      assert.equal(Object.keys(memory)[0], 'id', 'whoever looks at one sees first which it is');
      assert.match(memory.contentHash, /^[0-9a-f]{64}$/);
      assert.deepEqual(memory, {
        id: memory.id,
        kind: 'semantic',
        layer: 'user',
        identifiers: { userId: 'alice' },
        content: 'Alice takes her coffee black',
        metadata: {},
        tags: [],
        sensitivity: 'internal',
        trust: 'user',
        visibility: 'private',
        importance: 0.5,
        confidence: 1,
        relevance: 1,
        decayFactor: 1,
        ownerId: 'alice',
        contentHash: memory.contentHash,
        status: 'active',
        version: 1,
        previousVersion: null,
        accessCount: 0,
        createdAt: memory.createdAt,
        updatedAt: memory.createdAt,
      });
    });

    test('every field comes back as it was written', async (subject) => {
      const alice = subject.as({ userId: 'alice', agentId: 'helper' });
      const fields = {
        tags: ['b', 'a'],
        source: { type: 'tool_result', reference: 'call-7' },
        knowledgePointer: {
          sourceType: 'adr',
          sourceId: 'ADR-12',
          contentHash: 'f00d',
          syncedAt: '2026-01-01T00:00:00.000Z',
        },
        sensitivity: 'restricted',
        visibility: 'shared',
        importance: 0.25,
        confidence: 0.75,
        relevance: 0.5,
        decayFactor: 0,
        validFrom: '2026-01-01T00:00:00.000Z',
        validTo: '2026-06-01T12:30:15.250Z',
        expiresAt: '2999-01-01T00:00:00.000Z',
        role: 'assistant',
        turn: 0,
        triggerCondition: 'when the build is red',
        procedureType: 'few_shot_example',
        externalId: 'mine/1',
        metadata: { deep: { list: [1, 'two', null, { three: true }] }, zero: 0, empty: '', 'a.b "c"': 1 },
      } as const;
      const identifiers = { userId: 'alice', agentId: 'helper', projectId: 'lamina' };
      const { memory } = await alice.add({
        ...fields,
        tags: [...fields.tags],
        content: 'Bisect first',
        layer: 'agent',
        kind: 'procedural',
        identifiers,
      });
      for (const entry of [memory, (await alice.get({ id: memory.id })).memory]) {
        for (const [name, value] of Object.entries(fields))
          assert.deepEqual(entry?.[name as keyof typeof fields], value);
        assert.deepEqual(entry?.identifiers, identifiers);
        assert.equal(entry?.kind, 'procedural');
      }
    });

    test('every kind and layer can be written and read back', async (subject) => {
      const memory = subject.as({ userId: 'alice', agentId: 'helper' });
      const identifiers = {
        agentId: 'helper',
        userId: 'alice',
        sessionId: 's',
        projectId: 'p',
        teamId: 't',
        orgId: 'o',
        companyId: 'c',
      };
      for (const layer of ['agent', 'user', 'session', 'project', 'team', 'org', 'company'] as const) {
        for (const kind of ['semantic', 'episodic', 'procedural'] as const) {
          const added = (await memory.add({ content: `a ${kind} note`, layer, kind, identifiers })).memory;
          assert.deepEqual(await memory.get({ id: added.id }), { memory: added });
          assert.deepEqual(await listed(memory, { layer, identifiers, kinds: [kind] }), [`a ${kind} note`]);
        }
      }
    });

    test('times are given back in UTC', async (subject) => {
      const { memory } = await subject.as(ALICE).add({
        content: 'The shop was open',
        layer: 'user',
        validFrom: '2026-05-01T10:00:00+02:00',
        validTo: '2026-05-01T09:30:00Z',
        expiresAt: '2999-12-31T20:00:00.123-05:00',
      });
      assert.equal(memory.validFrom, '2026-05-01T08:00:00.000Z');
      assert.equal(memory.validTo, '2026-05-01T09:30:00.000Z');
      assert.equal(memory.expiresAt, '3000-01-01T01:00:00.123Z');
    });

    test('absence is null, false or MEMORY_NOT_FOUND', async (subject) => {
      const memory = subject.as(ALICE);
      assert.deepEqual(await memory.get({ id: ABSENT }), { memory: null });
      assert.deepEqual(await memory.delete({ id: ABSENT }), { success: false });
      await failure('MEMORY_NOT_FOUND', memory.update({ id: ABSENT, content: 'anything' }));
      await failure('MEMORY_NOT_FOUND', memory.versions({ id: ABSENT }));
      assert.deepEqual(await memory.list({ layer: 'user' }), { memories: [], nextCursor: null, totalCount: 0 });
      const found = await memory.search({ query: 'anything', threshold: 0 });
      assert.deepEqual(found, { results: [], totalCount: 0, searchedLayers: ['user', 'company'] });
    });

    test('an id may be written in capitals', async (subject) => {
      const memory = subject.as(ALICE);
      const id = 'ABCDEF00-0000-4000-8000-000000000001';
      await memory.add({ id, content: 'Named by its caller', layer: 'user' });
      assert.equal((await memory.get({ id: id.toLowerCase() })).memory?.content, 'Named by its caller');
      assert.deepEqual(await memory.delete({ id }), { success: true });
    });

    test('embeddings are given only where they are asked for', async (subject) => {
      const memory = subject.as(ALICE);
      const { id } = (await memory.add({ content: 'The lighthouse is white', layer: 'user' })).memory;
      const embedding = (await memory.get({ id, includeEmbedding: true })).memory?.embedding;
      assert.equal(embedding?.length, (await subject.embedder.space()).dimensions);
      const [plain, full] = [
        await memory.search({ query: 'lighthouse', threshold: 0 }),
        await memory.search({ query: 'lighthouse', threshold: 0, includeEmbeddings: true }),
      ];
      assert.equal(nth(plain.results).memory.embedding, undefined);
      assert.deepEqual(nth(full.results).memory.embedding, embedding);
    });

    const clock = new ManualClock();
    test(
      'accesses are counted, soon',
      async (subject) => {
        const memory = subject.as(ALICE);
        const { id } = (await memory.add({ content: 'Counted each time', layer: 'user' })).memory;
        await memory.get({ id });
        await memory.search({ query: 'counted', threshold: 0 });
        for (let attempt = 0; attempt < 60; attempt += 1) {
          // A list is no access, so that looking does not change what is looked at.
          const entry = nth((await memory.list({ layer: 'user' })).memories);
          if (entry.accessCount === 0) await new Promise((resolve) => setTimeout(resolve, 50));
          else {
            assert.equal(entry.accessCount, 2);
            assert.equal(entry.lastAccessedAt, new Date(clock.now()).toISOString());
            assert.equal(entry.version, 1);
            return;
          }
        }
        assert.fail('accesses were never counted');
      },
      { clock },
    );
  });

  runner.describe('hostile but legal content', () => {
    for (const [name, content] of HOSTILE) {
      test(`${name} is stored, found and returned verbatim`, async (subject) => {
        const memory = subject.as(ALICE);
        await memory.add({ content: 'The gardener waters the roses at seven', layer: 'user' });
        const { id } = (await memory.add({ content, layer: 'user', metadata: { [content.slice(0, 50)]: content } }))
          .memory;
        const entry = (await memory.get({ id })).memory;
        assert.equal(entry?.content, content);
        assert.deepEqual(entry?.metadata, { [content.slice(0, 50)]: content });
        for (const mode of ['hybrid', 'semantic'] as const) {
          assert.equal(nth(await recalled(memory, { query: content.slice(0, 5000), mode })), content, mode);
        }
        // Keyword search has nothing to hold on to in a text without any word that carries meaning.
        const byWords = await recalled(memory, { query: content.slice(0, 5000), mode: 'keyword' });
        assert.deepEqual(byWords, name.startsWith('only') ? [] : [content]);
        assert.equal((await memory.update({ id, importance: 1 })).memory.content, content);
        assert.deepEqual(await memory.delete({ id }), { success: true });
      });
    }
  });
}
