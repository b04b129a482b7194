/** `lamina import --from`: takes over what others wrote. Read twice: once to check and count it, once to write it. */

import { LaminaError } from '../../domain/error.ts';
import { usageError, type Given } from '../command.ts';
import { renamingsFrom } from '../bundle/renamings.ts';
import { placeFrom } from '../memory-flags.ts';
import { ownPrincipal, withMemory } from '../open-memory.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { betweenPages } from '../terminal/stop-signal.ts';
import { whileWaiting } from '../terminal/waiting.ts';
import { inputsOf, userOf, type Destination } from './draft-inputs.ts';
import { formatOf } from './formats.ts';
import { PLACE_FLAGS } from './import-flags.ts';
import { UNTOLD, type ImportFormat, type Telling } from './import-format.ts';
import { tellImport } from './import-report.ts';
import { ImportTally } from './import-tally.ts';
import { Repeats } from './repeats.ts';
import { BATCH_SIZE, writeDrafts, type Write, type WriteCounts } from './write-drafts.ts';

/** One import: what is read, where it goes, and what was found on the way. */
interface Import {
  readonly given: Given;
  readonly format: ImportFormat;
  readonly path: string;
  readonly destination: Destination;
  readonly tally: ImportTally;
  readonly repeats: Repeats;
}

/** A draft as what is written, in one part or several. */
interface Reading {
  readonly user: string;
  readonly name: string;
  readonly writes: readonly Write[];
}

export async function importFrom(given: Given, name: string): Promise<number> {
  const [path = ''] = given.words;
  if (path === '-') throw usageError('With --from, name a file or a folder: it is read twice.', given.command);
  const format = await formatOf(path, name);
  if (format.run) return format.run(given, path);
  const destination = await destinationFrom(given, format);
  const tally = new ImportTally(destination.principal.userId);
  const work = { given, format, path, destination, tally, repeats: new Repeats() };
  await whileWaiting(given, 'Reading', check(work));
  if (given.has('strict')) tally.assertFlawless();
  const counts = given.has('check') ? undefined : await write(work);
  return tellImport(given, { format, path, tally, counts });
}

async function destinationFrom(given: Given, { name }: ImportFormat): Promise<Destination> {
  const principal = await ownPrincipal(given);
  const isPlaced = PLACE_FLAGS.some((flag) => given.has(flag));
  return {
    format: name,
    principal,
    place: isPlaced ? placeFrom(given, 'user') : undefined,
    isForOne: given.has('user'),
    users: renamingsFrom(given).users ?? new Map(),
  };
}

async function check(work: Import): Promise<void> {
  const { given, tally, repeats } = work;
  let count = 0;
  for await (const { user, name, writes } of readings(work, tally)) {
    const inputs = writes.map(({ input }) => input);
    if (repeats.note(name)) tally.leftOut('memories that come again later');
    else tally.add(user, inputs);
    count += 1;
    if (count % 1000 === 0) await betweenPages(given.signal);
  }
}

async function* readings({ format, path, destination }: Import, telling: Telling): AsyncGenerator<Reading, void> {
  for await (const draft of format.drafts?.(path, telling) ?? []) {
    const user = userOf(draft, destination);
    try {
      const writes = inputsOf(draft, destination).map((input) => ({ user, input, where: draft.where }));
      yield { user, name: JSON.stringify([user, draft.id]), writes };
    } catch (error) {
      if (!(error instanceof LaminaError)) throw error;
      telling.problem(draft.where, error.message.replace(/\.$/, ''));
    }
  }
}

/** What was told while it was checked is not told again. */
async function* writesOf(work: Import): AsyncGenerator<Write, void> {
  for await (const { name, writes } of readings(work, UNTOLD)) if (!work.repeats.comesAgain(name)) yield* writes;
}

async function write(work: Import): Promise<WriteCounts> {
  const { given, tally, destination } = work;
  const { principal } = destination;
  const bar = progressBar(given);
  const written = async (done: number, held: readonly Write[]): Promise<void> => {
    for (const { user, input } of held) tally.held(user, input);
    // What is done at once needs no bar.
    if (tally.total > BATCH_SIZE) bar.show({ done, total: tally.total, label: 'memories' });
    await betweenPages(given.signal);
  };
  try {
    return await withMemory(given, principal, (_own, as) =>
      writeDrafts(writesOf(work), (userId) => as({ ...principal, userId }), tally, written),
    );
  } finally {
    bar.clear();
  }
}
