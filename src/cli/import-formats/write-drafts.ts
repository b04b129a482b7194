/** Writes what an import found, a batch at a time, so that it can be stopped and started again. */

import type { OpenMemory } from '../../compose/remote-memory.ts';
import { LaminaError, type ErrorCode } from '../../domain/error.ts';
import type { AddOutput, WriteStatus } from '../../domain/remember.ts';
import type { Memory } from '../../operations/memory.ts';
import type { AddInput } from './draft-inputs.ts';
import type { Telling } from './import-format.ts';

/** What one call takes: entries, and characters in them. */
export const BATCH_SIZE = 100;
const BATCH_LENGTH = 250_000;

/** Of all users together. */
const MAX_HELD = 1000;

/** Of one entry, and nothing that would meet the next one too. */
const OF_ONE: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED', 'CONTENT_TOO_LONG', 'LIMIT_EXCEEDED']);

export interface Write {
  readonly user: string;
  readonly input: AddInput;
  readonly where: string;
}

/** `quarantined` are among the others. */
export type WriteCounts = Record<WriteStatus | 'quarantined', number>;

interface Written extends Pick<AddOutput, 'status' | 'quarantined'> {
  readonly write: Write;
}

/**
 * Tells of what is refused, and goes on. `written` is told how many are done, and which of the last ones are in quarantine.
 * Throws what is wrong with all of them.
 */
export async function writeDrafts(
  writes: AsyncIterable<Write>,
  as: (user: string) => ReturnType<OpenMemory['as']>,
  telling: Telling,
  written: (done: number, held: readonly Write[]) => Promise<void>,
): Promise<WriteCounts> {
  const counts = { created: 0, updated: 0, unchanged: 0, quarantined: 0 };
  let done = 0;
  for await (const batch of batchesOf(writes)) {
    const [first] = batch;
    if (first === undefined) continue;
    const outcomes = await writeBatch(as(first.user), batch, telling);
    for (const { status } of outcomes) counts[status] += 1;
    const held = outcomes.filter(({ quarantined }) => quarantined).map(({ write }) => write);
    counts.quarantined += held.length;
    done += batch.length;
    await written(done, held);
  }
  return counts;
}

/** Of one user each, however they take turns. */
async function* batchesOf(writes: AsyncIterable<Write>): AsyncGenerator<readonly Write[], void> {
  const waiting = new Map<string, Write[]>();
  const lengthOf = (batch: readonly Write[]): number => batch.reduce((sum, { input }) => sum + input.content.length, 0);
  let held = 0;
  for await (const write of writes) {
    const batch = waiting.get(write.user) ?? [];
    const isFull = batch.length >= BATCH_SIZE || lengthOf(batch) + write.input.content.length > BATCH_LENGTH;
    if (isFull) {
      yield batch;
      held -= batch.length;
    }
    waiting.set(write.user, isFull ? [write] : [...batch, write]);
    held += 1;
    if (held < MAX_HELD) continue;
    yield* waiting.values();
    waiting.clear();
    held = 0;
  }
  yield* waiting.values();
}

/** All at once; where one of them is refused, each by itself. */
async function writeBatch(memory: Memory, batch: readonly Write[], telling: Telling): Promise<Written[]> {
  try {
    const outputs = await memory.addMany(batch.map(({ input }) => input));
    return batch.flatMap((write, index) => {
      const output = outputs[index];
      return output ? { write, status: output.status, quarantined: output.quarantined } : [];
    });
  } catch (error) {
    if (!(error instanceof LaminaError) || !OF_ONE.has(error.code)) throw error;
    const [only, ...more] = batch;
    if (only !== undefined && more.length === 0) {
      telling.problem(only.where, error.message.replace(/\.$/, ''));
      return [];
    }
  }
  const all: Written[] = [];
  for (const write of batch) all.push(...(await writeBatch(memory, [write], telling)));
  return all;
}
