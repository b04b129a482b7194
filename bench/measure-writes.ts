/** The operations that write: loading, and adding one by one, many at once, and in batches. */

import type { BenchContext } from './bench-context.ts';
import { LaminaSide } from './lamina-side.ts';
import { Lockstep, type LaminaSides, type WriteCall } from './lockstep.ts';
import type { Comparison } from './statistics.ts';
import type { Write } from './workload.ts';

const CONCURRENT = 64;
const BATCH = 100;
const LOAD_BATCH = 250;
/** Of what is loaded, so much is not counted: code is being compiled, as before everything else that is measured. */
const WARM_UP_SHARE = 0.2;

/** Alternating after each one would time the flushes of one side while the disk is busy with those of the other. */
const SINGLE_ADDS_PER_BLOCK = 20;
/** So that what goes on beside the commits of one side meets further commits of the same side. */
const GROUPS_PER_BLOCK = 5;
const BATCHES_PER_BLOCK = 4;

const add: WriteCall = (lamina, writes) =>
  Promise.all(writes.map(async ({ userId, input }) => (await lamina.memoryOf(userId).add(input)).memory.id));

/** All of them by the first one's user. */
const addMany: WriteCall = async (lamina, writes) => {
  const outputs = await lamina.memoryOf(writes[0]?.userId ?? '').addMany(writes.map(({ input }) => input));
  return outputs.map(({ memory }) => memory.id);
};

/** Only what is written within the work is recorded. */
async function withSides<T>(
  { folder, timedFolder, embedder, tape }: BenchContext,
  work: (sides: LaminaSides) => Promise<T>,
): Promise<T> {
  const timed = await LaminaSide.open(timedFolder, embedder);
  const result = await tape.during(async () => {
    const recorded = await LaminaSide.open(folder, embedder);
    const done = await work({ recorded, timed });
    await recorded.close();
    return done;
  });
  await timed.close();
  return result;
}

/** Brings all files to the size that is asked for. */
export function measureLoad(context: BenchContext, entries: number): Promise<Comparison> {
  const { workload, progress } = context;
  return withSides(context, async (sides) => {
    const [warmUp, lockstep] = [new Lockstep(context, sides), new Lockstep(context, sides)];
    const blocks = inBlocks([...workload.load(entries, LOAD_BATCH)]);
    for (const [index, block] of blocks.entries()) {
      progress.say(`loading: ${index * BATCHES_PER_BLOCK * LOAD_BATCH} of ${entries}`);
      const isWarm = index >= Math.floor(blocks.length * WARM_UP_SHARE);
      const ids = await (isWarm ? lockstep : warmUp).write(addMany, block);
      for (const [at, batch] of block.entries()) workload.remember(batch, ids[at] ?? []);
    }
    return lockstep.comparison(`bulk load (addMany of ${LOAD_BATCH})`);
  });
}

function inBlocks<T>(batches: readonly T[]): T[][] {
  const starts = Array.from(
    { length: Math.ceil(batches.length / BATCHES_PER_BLOCK) },
    (_, at) => at * BATCHES_PER_BLOCK,
  );
  return starts.map((start) => batches.slice(start, start + BATCHES_PER_BLOCK));
}

interface WriteOperation {
  readonly operation: string;
  readonly call: WriteCall;
  readonly writes: () => Write[];
  readonly calls: number;
  readonly callsPerBlock: number;
}

async function measureWrite(
  context: BenchContext,
  sides: LaminaSides,
  { operation, call, writes, calls, callsPerBlock }: WriteOperation,
): Promise<Comparison> {
  context.progress.say(operation);
  const block = (size: number): Write[][] => Array.from({ length: size }, writes);
  await new Lockstep(context, sides).write(call, block(callsPerBlock));
  const lockstep = new Lockstep(context, sides);
  for (let done = 0; done < calls; done += callsPerBlock) {
    await lockstep.write(call, block(Math.min(callsPerBlock, calls - done)));
  }
  return lockstep.comparison(operation);
}

export function measureWrites(context: BenchContext): Promise<Comparison[]> {
  const { workload, effort } = context;
  const operations: WriteOperation[] = [
    {
      operation: 'add, one after another',
      call: add,
      writes: () => workload.ofOneUser(1),
      calls: effort.singleAdds,
      callsPerBlock: SINGLE_ADDS_PER_BLOCK,
    },
    {
      operation: `add, ${CONCURRENT} concurrent`,
      call: add,
      writes: () => workload.ofManyUsers(CONCURRENT),
      calls: effort.concurrentGroups,
      callsPerBlock: GROUPS_PER_BLOCK,
    },
    {
      operation: `addMany, ${BATCH} per call`,
      call: addMany,
      writes: () => workload.ofOneUser(BATCH),
      calls: effort.batches,
      callsPerBlock: GROUPS_PER_BLOCK,
    },
  ];
  return withSides(context, async (sides) => {
    const rows: Comparison[] = [];
    for (const operation of operations) rows.push(await measureWrite(context, sides, operation));
    return rows;
  });
}
