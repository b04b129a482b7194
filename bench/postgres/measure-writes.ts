/**
 * Writes on PostgreSQL: through Lamina, and the very same transactions with nothing around them, behind the same policies, on a copy
 * of the database that went through all of it. Lamina waits for answers that it has to look at; raw sends each transaction whole.
 */

import { Lamina } from '../../src/compose/lamina.ts';
import { systemClock } from '../../src/compose/system.ts';
import type { PostgresConnection, PostgresDriver } from '../../src/engines/postgres/postgres-driver.ts';
import { PostgresEngine } from '../../src/engines/postgres/postgres-engine.ts';
import type { Memory } from '../../src/operations/memory.ts';
import type { BenchEmbedder } from '../bench-embedder.ts';
import { compare, Samples, type Comparison } from '../statistics.ts';
import { Workload, type Write } from '../workload.ts';
import { play, SessionRecorder, type Session } from './session-recorder.ts';

const TENANT = '00000000-0000-4000-8000-00000000000a';

const STATEMENT_TIMEOUT_MS = 60_000;
const CONCURRENT = 64;
const BATCH = 100;
const WARM_UP = 3;
const USERS = 20;

type MemoryOf = (userId: string) => Memory;
type Call = (memoryOf: MemoryOf, writes: readonly Write[]) => Promise<unknown>;

interface Operation {
  readonly operation: string;
  readonly call: Call;
  readonly writes: () => Write[];
  /** Where its transactions come one after another, raw has one connection. */
  readonly connections: number;
}

const add: Call = (memoryOf, writes) => Promise.all(writes.map(({ userId, input }) => memoryOf(userId).add(input)));

/** All of them by the first one's user. */
const addMany: Call = (memoryOf, writes) => memoryOf(writes[0]?.userId ?? '').addMany(writes.map(({ input }) => input));

/** Each user's is made once, as a program would do it. */
function memoriesOf(lamina: Lamina): MemoryOf {
  const memories = new Map<string, Memory>();
  return (userId) => {
    const memory = memories.get(userId) ?? lamina.as({ tenantId: TENANT, userId });
    memories.set(userId, memory);
    return memory;
  };
}

/** What there must be as much of on both sides in the end. */
const COUNT = `
  SELECT (SELECT count(*) FROM lamina.entries) AS entries, (SELECT count(*) FROM lamina.entry_words) AS words,
         (SELECT count(*) FROM lamina.embeddings) AS vectors, (SELECT count(*) FROM lamina.events) AS events`;

/** Each side has a database and a pool of its own, as large as the other's. `calls` are those of each operation. */
export async function measureWrites(
  drivers: { readonly lamina: PostgresDriver; readonly raw: PostgresDriver },
  poolSize: number,
  embedder: BenchEmbedder,
  calls: number,
): Promise<Comparison[]> {
  const workload = new Workload(7, USERS);
  const recorder = new SessionRecorder(drivers.lamina);
  const options = { clock: systemClock, statementTimeoutMs: STATEMENT_TIMEOUT_MS };
  const engine = await PostgresEngine.open({ driver: recorder.driver, ...options });
  const memoryOf = memoriesOf(await Lamina.open({ engine, embedder }));
  const connections = await Promise.all(Array.from({ length: poolSize }, () => drivers.raw.reserve()));
  const operations: Operation[] = [
    { operation: 'add, one after another', call: add, writes: () => workload.ofOneUser(1), connections: 1 },
    {
      operation: `add, ${CONCURRENT} concurrent`,
      call: add,
      writes: () => workload.ofManyUsers(CONCURRENT),
      connections: poolSize,
    },
    { operation: `addMany, ${BATCH} per call`, call: addMany, writes: () => workload.ofOneUser(BATCH), connections: 1 },
  ];
  // With first writes everybody is entered among the users, and places are made for their memories: both have to come first on the other side too.
  for (const kind of ['semantic', 'episodic'] as const) {
    for (const block of workload.load(USERS, 1)) {
      const first = block.map(({ userId, input }) => ({ userId, input: { ...input, kind } }));
      await playAll(connections.slice(0, 1), await recorder.record(() => add(memoryOf, first)));
    }
  }
  const rows: Comparison[] = [];
  for (const { operation, call, writes, connections: count } of operations) {
    const used = connections.slice(0, count);
    const blocks = Array.from({ length: WARM_UP + calls }, writes);
    let sides = { lamina: new Samples(), raw: new Samples() };
    let statements = 0;
    for (const [index, block] of blocks.entries()) {
      if (index === WARM_UP) sides = { lamina: new Samples(), raw: new Samples() };
      embedder.prepare(block.map(({ input }) => input.content));
      let sessions: Session[] = [];
      await sides.lamina.block([block], async () => {
        sessions = await recorder.record(() => call(memoryOf, block));
      });
      await sides.raw.block([sessions], (again) => playAll(used, again));
      if (index >= WARM_UP) statements += sessions.flat().length;
    }
    const row = { operation, entriesPerCall: blocks[0]?.length ?? 0, statementsPerCall: statements / calls };
    rows.push(compare(row, sides));
  }
  for (const connection of connections) connection.release();
  await assertAlike(drivers);
  return rows;
}

async function assertAlike({
  lamina,
  raw,
}: {
  readonly lamina: PostgresDriver;
  readonly raw: PostgresDriver;
}): Promise<void> {
  const [one, other] = await Promise.all([lamina, raw].map(countIn));
  if (one !== other) throw new Error(`Lamina wrote ${one}, and raw ${other}.`);
}

async function countIn(driver: PostgresDriver): Promise<string> {
  const connection = await driver.reserve();
  const { rows } = await connection.query(COUNT, []);
  connection.release();
  return JSON.stringify(rows[0]);
}

/** Each connection takes the next transaction as soon as it is done with one. */
async function playAll(connections: readonly PostgresConnection[], sessions: readonly Session[]): Promise<void> {
  const waiting = sessions.values();
  await Promise.all(
    connections.map(async (connection) => {
      for (const session of waiting) await play(connection, session);
    }),
  );
}
