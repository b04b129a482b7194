/** Looking back at a random past in every way there is, and holding each against the model that kept it. */

import assert from 'node:assert/strict';
import type { Entry } from '../domain/entry.ts';
import type { Memory } from '../operations/memory.ts';
import type { OperationInput } from '../operations/table.ts';
import { AsOfModel, PEOPLE, type PastQuestion } from './as-of-model.ts';
import type { MemorySubject } from './contract-subject.ts';
import type { ManualClock } from './manual-clock.ts';
import { SeededRandom } from './seeded-random.ts';

/** What everybody names: alice's own layer, of which others see what is shared, and a project. */
export const IDENTIFIERS = { userId: 'alice', projectId: 'p' } as const;

const MODES = ['hybrid', 'keyword', 'semantic'] as const;

const isoTime = (ms: number): string => new Date(ms).toISOString();
const byId = (a: Entry, b: Entry): number => (a.id < b.id ? -1 : 1);

export interface RandomPast {
  readonly seed: number;
  readonly writes: number;
  /** How many moments are looked at. */
  readonly looks: number;
  readonly modesPerLook: number;
}

export async function assertRandomPast(
  subject: MemorySubject,
  clock: ManualClock,
  { seed, writes, looks, modesPerLook }: RandomPast,
): Promise<void> {
  const random = new SeededRandom(seed);
  const model = new AsOfModel(random, clock);
  for (let count = 0; count < writes; count += 1) await model.write((principal) => subject.as(principal));
  let [unchanged, replaced] = [0, 0];
  for (let look = 0; look < looks; look += 1) {
    const at = random.pick(model.moments) - random.below(2);
    const shelf = random.pick(['active', 'active', 'all', 'archived'] as const);
    const tag = random.pick(['', '', 'a', 'b']) || undefined;
    for (const [turn, userId] of PEOPLE.entries()) {
      const question = { userId, at, shelf, tag };
      const modes = [...MODES, ...MODES].slice((look + turn) % 3).slice(0, modesPerLook);
      await assertAsModel(subject, model, question, modes);
      await assertEach(subject, model, question, look);
      for (const former of model.at(question)) {
        if (model.isReplaced(former)) replaced += 1;
        else unchanged += 1;
      }
    }
  }
  // Else it would prove nothing.
  assert.ok(unchanged > looks && replaced > looks, `${unchanged} unchanged, ${replaced} replaced`);
}

async function assertAsModel(
  subject: MemorySubject,
  model: AsOfModel,
  question: PastQuestion,
  modes: readonly (typeof MODES)[number][],
): Promise<void> {
  const { userId, at, shelf, tag } = question;
  const memory = subject.as({ userId });
  const place = { identifiers: IDENTIFIERS, asOf: isoTime(at), ...(tag && { filter: { tags: [tag] } }) };
  const message = JSON.stringify(question);
  for (const layer of ['user', 'project'] as const) {
    const limit = layer === 'user' ? 3 : 100;
    const found = await everyPage(memory, { ...place, layer, status: shelf, limit });
    assert.deepEqual(found, model.at({ ...question, layer }), `list ${message}`);
  }
  // A search has no way to ask for what is archived alone.
  if (shelf === 'archived') return;
  const expected = model.at(question).toSorted(byId);
  for (const mode of modes) {
    const asked = { ...place, query: 'memo', mode, threshold: 0, limit: 100, includeArchived: shelf === 'all' };
    const { results, totalCount, warnings } = await memory.search(asked);
    const found = results.map((result) => result.memory).toSorted(byId);
    assert.deepEqual(found, expected, `${mode} ${message}`);
    assert.deepEqual([totalCount, warnings], [expected.length, undefined]);
  }
}

/** A few by id, others each time. */
async function assertEach(
  subject: MemorySubject,
  model: AsOfModel,
  { userId, at }: PastQuestion,
  look: number,
): Promise<void> {
  for (const [id, expected] of [...model.byId(userId, at)].slice(3 * look, 3 * look + 3)) {
    const { memory } = await subject.as({ userId }).get({ id, asOf: isoTime(at) });
    assert.deepEqual(memory, expected, `${userId} ${at}`);
  }
}

async function everyPage(memory: Memory, input: OperationInput<'list'>): Promise<Entry[]> {
  const all: Entry[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await memory.list({ ...input, ...(cursor && { cursor }) });
    all.push(...page.memories);
    cursor = page.nextCursor;
    if (cursor === null) assert.equal(page.totalCount, all.length);
  }
  return all;
}
