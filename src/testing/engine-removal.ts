/** Engine contract: what is removed leaves no row, no word and no byte. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import type { EntryWrite } from '../ports/entry-store.ts';
import { assertSameMembers } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, TENANT, type OpenEngine } from './engine-subject.ts';
import { embeddingOf, entryOf, nextVersion, partitionOfEntry, wordsProbe, writeOf } from './entry-write.ts';
import { SeededRandom } from './seeded-random.ts';

const ENTRIES = 240;

/** An entry of which every text is found nowhere else. */
function distinctEntry(random: SeededRandom): Entry {
  return entryOf({
    content: random.words(6),
    externalId: random.word(),
    metadata: { [random.word()]: random.word() },
    tags: [random.word()],
    source: { type: 'manual', reference: random.word() },
    triggerCondition: random.word(),
    kind: 'procedural',
    ownerId: 'u',
    visibility: 'private',
  });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Indexes store only the end of a word that begins like its neighbour, so the ends of words are looked for. */
function textTraces({ entry, lexemes }: EntryWrite): Uint8Array[] {
  const words = [...lexemes, ...entry.tags, ...Object.entries(entry.metadata).flat().map(String)];
  const named = [entry.externalId, entry.source?.reference, entry.triggerCondition];
  const ends = [...words, ...named].flatMap((word) => (word === undefined ? [] : [bytes(word.slice(3))]));
  return [bytes(entry.content), ...ends];
}

/** The middle of its vector: enough values in a row that no other text has them. */
function vectorTrace({ embedding }: EntryWrite): Uint8Array {
  assert.ok(embedding);
  return new Uint8Array(embedding.vector.slice(24, 40).buffer);
}

export function engineRemoval(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('removal', () => {
    test('tells every text that had been embedded, of all versions', async ({ engine: { entries: store } }) => {
      const first = entryOf({ content: 'first text', triggerCondition: 'first trigger', kind: 'procedural' });
      const second = nextVersion(first, { content: 'second text' });
      const third = nextVersion(second, { triggerCondition: 'third trigger' });
      const other = entryOf({ content: 'other text' });
      const texts = await store.transaction(TENANT, async (tx) => {
        await tx.insert([await writeOf(first), await writeOf(other)]);
        await tx.replace([await writeOf(second)]);
        await tx.replace([await writeOf(third)]);
        return tx.remove([first.id, '00000000-0000-4000-8000-00000000dead']);
      });
      assertSameMembers(new Set(texts), ['first text', 'first trigger', 'second text', 'third trigger']);
      assert.deepEqual(await store.transaction(TENANT, (tx) => tx.remove([first.id])), []);
    });

    test('takes the history and the place in every index', async ({ engine: { entries: store } }) => {
      const entry = entryOf({ content: 'here today' });
      await store.transaction(TENANT, async (tx) => {
        await tx.insert([await writeOf(entry)]);
        await tx.replace([await writeOf(nextVersion(entry, { content: 'gone tomorrow' }))]);
      });
      await store.transaction(TENANT, (tx) => tx.remove([entry.id]));
      const partitions = [partitionOfEntry(entry)];
      const embedding = await embeddingOf('gone tomorrow');
      assert.deepEqual(await store.find(TENANT, [entry.id]), []);
      assert.deepEqual(await store.history(TENANT, entry.id), []);
      const probe = { ...wordsProbe('gone', 'here'), embedding };
      assert.deepEqual(await store.candidates(TENANT, { partitions }, probe, 10), []);
      assert.deepEqual(await store.transaction(TENANT, (tx) => tx.nearest({ partitions }, embedding, 10)), []);
      assert.equal((await store.vectors(TENANT, embedding.space, [entry.id])).size, 0);
      // The same entry again has no past.
      await store.transaction(TENANT, async (tx) => tx.insert([await writeOf(entry)]));
      assert.deepEqual(await store.history(TENANT, entry.id), []);
      assert.deepEqual(await store.find(TENANT, [entry.id]), [entry]);
    });

    test('leaves no byte of what is gone, and every byte of what stays', async ({
      engine: { entries: store },
      residue,
    }) => {
      if (residue === undefined) return;
      const random = new SeededRandom(41);
      const gone: EntryWrite[] = [];
      const forbidden: Uint8Array[] = [];
      const expected: Uint8Array[] = [];
      for (let count = 0; count < ENTRIES; count += 1) {
        const first = await writeOf(distinctEntry(random));
        const { content, metadata } = distinctEntry(random);
        const second = await writeOf(nextVersion(first.entry, { content, metadata }));
        await store.transaction(TENANT, (tx) => tx.insert([first]));
        const isReplaced = random.below(2) === 0;
        if (isReplaced) await store.transaction(TENANT, (tx) => tx.replace([second]));
        const current = isReplaced ? second : first;
        const states = isReplaced ? [first, second] : [first];
        if (random.below(2) === 0) {
          gone.push(current);
          forbidden.push(...states.flatMap(textTraces), ...states.map(vectorTrace));
        } else {
          // Of a past version the text is history, but its vector is of no more use.
          expected.push(...states.flatMap(textTraces), vectorTrace(current));
          if (isReplaced) forbidden.push(vectorTrace(first));
        }
      }
      for (const { entry } of gone) await store.transaction(TENANT, (tx) => tx.remove([entry.id]));
      const found = new Set(await residue([...forbidden, ...expected]));
      const readable = (traces: Uint8Array[]): string[] => traces.map((trace) => new TextDecoder().decode(trace));
      assert.deepEqual(readable(forbidden.filter((trace) => found.has(trace))), []);
      assert.deepEqual(readable(expected.filter((trace) => !found.has(trace))), []);
    });
  });
}
