/** The operations that write: loading, and adding one by one, many at once, and in batches. */

import type { BenchContext } from './bench-context.ts';
import { LaminaSide } from './lamina-side.ts';
import { Lockstep, type WriteCall } from './lockstep.ts';
import type { Comparison } from './statistics.ts';
import type { Write } from './workload.ts';

const CONCURRENT = 64;
const BATCH = 100;
const LOAD_BATCH = 250;

/** Alternating after each one would time the flushes of one side while the disk is busy with those of the other. */
const SINGLE_ADDS_PER_BLOCK = 20;
/** So that what goes on beside the commits of one side meets further commits of the same side. */
const GROUPS_PER_BLOCK = 5;

const add: WriteCall = (lamina, writes) =>
  Promise.all(writes.map(async ({ userId, input }) => (await lamina.memoryOf(userId).add(input)).memory.id));

/** All of them by the first one's user. */
const addMany: WriteCall = async (lamina, writes) => {
  const outputs = await lamina.memoryOf(writes[0]?.userId ?? '').addMany(writes.map(({ input }) => input));
  return outputs.map(({ memory }) => memory.id);
};

/** Brings both files to the size that is asked for. */
export async function measureLoad(context: BenchContext, entries: number): Promise<Comparison> {
  const { folder, embedder, workload, progress } = context;
  const lamina = await LaminaSide.open(folder, embedder);
  const lockstep = new Lockstep(context, lamina);
  let done = 0;
  for (const batch of workload.load(entries, LOAD_BATCH)) {
    progress.say(`loading: ${done} of ${entries}`);
    const [ids = []] = await lockstep.write(addMany, [batch]);
    workload.remember(batch, ids);
    done += batch.length;
  }
  await lamina.close();
  return lockstep.comparison(`bulk load (addMany of ${LOAD_BATCH})`);
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
  lamina: LaminaSide,
  { operation, call, writes, calls, callsPerBlock }: WriteOperation,
): Promise<Comparison> {
  context.progress.say(operation);
  const block = (size: number): Write[][] => Array.from({ length: size }, writes);
  await new Lockstep(context, lamina).write(call, block(callsPerBlock));
  const lockstep = new Lockstep(context, lamina);
  for (let done = 0; done < calls; done += callsPerBlock) {
    await lockstep.write(call, block(Math.min(callsPerBlock, calls - done)));
  }
  return lockstep.comparison(operation);
}

export async function measureWrites(context: BenchContext): Promise<Comparison[]> {
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
  const lamina = await LaminaSide.open(context.folder, context.embedder);
  const rows: Comparison[] = [];
  for (const operation of operations) rows.push(await measureWrite(context, lamina, operation));
  await lamina.close();
  return rows;
}
