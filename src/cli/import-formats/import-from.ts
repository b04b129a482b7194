/** `lamina import --from`: takes over what others wrote. Read twice: once to check and count it, once to write it. */

import { LaminaError } from '../../domain/error.ts';
import { usageError, type Given } from '../command.ts';
import { renamingsFrom } from '../bundle/renamings.ts';
import { placeFrom, principalFrom } from '../memory-flags.ts';
import { withMemory } from '../open-memory.ts';
import { progressBar } from '../progress-bar.ts';
import { betweenPages } from '../stop-signal.ts';
import { whileWaiting } from '../waiting.ts';
import { inputsOf, userOf, type Destination } from './draft-inputs.ts';
import { formatOf } from './formats.ts';
import { PLACE_FLAGS } from './import-flags.ts';
import type { ImportFormat, Telling } from './import-format.ts';
import { tellImport } from './import-report.ts';
import { ImportTally } from './import-tally.ts';
import { BATCH_SIZE, writeDrafts, type Write, type WriteCounts } from './write-drafts.ts';

export async function importFrom(given: Given, name: string): Promise<number> {
  const [path = ''] = given.words;
  if (path === '-') throw usageError('With --from, name a file or a folder: it is read twice.', given.command);
  const format = await formatOf(path, name);
  if (format.run) return format.run(given, path);
  const destination = destinationFrom(given, format);
  const tally = new ImportTally();
  await whileWaiting(given, 'Reading', check(given, format, path, destination, tally));
  if (given.has('strict')) tally.assertFlawless();
  const isDryRun = given.has('check');
  const counts = isDryRun ? undefined : await write(given, format, path, destination, tally);
  return tellImport(given, { format, path, tally, counts });
}

function destinationFrom(given: Given, { name }: ImportFormat): Destination {
  const principal = principalFrom(given);
  const isPlaced = PLACE_FLAGS.some((flag) => given.has(flag));
  return {
    format: name,
    principal,
    place: isPlaced ? placeFrom(given, principal, 'user') : undefined,
    isForOne: given.has('user'),
    users: renamingsFrom(given).users ?? new Map(),
  };
}

async function check(
  given: Given,
  format: ImportFormat,
  path: string,
  destination: Destination,
  tally: ImportTally,
): Promise<void> {
  let count = 0;
  for await (const { user, inputs } of readAll(format, path, destination, tally)) {
    tally.add(
      user,
      inputs.map(({ input }) => input),
    );
    count += 1;
    if (count % 1000 === 0) await betweenPages(given.signal);
  }
}

async function* readAll(
  format: ImportFormat,
  path: string,
  destination: Destination,
  telling: Telling,
): AsyncGenerator<{ readonly user: string; readonly inputs: readonly Write[] }, void> {
  for await (const draft of format.drafts?.(path, telling) ?? []) {
    const user = userOf(draft, destination);
    try {
      yield { user, inputs: inputsOf(draft, destination).map((input) => ({ user, input, where: draft.where })) };
    } catch (error) {
      if (!(error instanceof LaminaError)) throw error;
      telling.problem(draft.where, error.message.replace(/\.$/, ''));
    }
  }
}

async function write(
  given: Given,
  format: ImportFormat,
  path: string,
  destination: Destination,
  tally: ImportTally,
): Promise<WriteCounts> {
  const { principal } = destination;
  const bar = progressBar(given);
  // What was told while it was checked is not told again; what is refused only now is.
  const silent: Telling = { leftOut: () => undefined, problem: () => undefined };
  const writes = async function* (): AsyncGenerator<Write, void> {
    for await (const { inputs } of readAll(format, path, destination, silent)) yield* inputs;
  };
  const written = async (done: number): Promise<void> => {
    // What is done at once needs no bar.
    if (tally.total > BATCH_SIZE) bar.show({ done, total: tally.total, label: 'memories' });
    await betweenPages(given.signal);
  };
  try {
    return await withMemory(given, principal, (_own, as) =>
      writeDrafts(writes(), (userId) => as({ ...principal, userId }), tally, written),
    );
  } finally {
    bar.clear();
  }
}
