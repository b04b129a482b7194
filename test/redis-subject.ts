/** State in Redis for the contract of state: an engine on SQLite whose state lies in Redis, emptied for each test. */

import { RedisConnection } from '../src/engines/redis/redis-connection.ts';
import { RedisStateStore } from '../src/engines/redis/redis-state-store.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Engine } from '../src/ports/engine.ts';
import type { HotStore } from '../src/ports/hot-store.ts';
import type { OpenEngine } from '../src/testing/engine-subject.ts';
import { engineWith } from './engine-with.ts';
import type { RedisServer } from './redis-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

/** A store with a connection of its own. */
export async function openRedis(server: RedisServer, clock: Clock): Promise<RedisStateStore> {
  const connection = await RedisConnection.open({ prefix: 'lamina', url: server.url });
  if (!(await connection.tried())) throw new Error(`Redis cannot be reached: ${String(connection.failure)}`);
  return new RedisStateStore(connection, clock);
}

export function redisSubject(serverOf: () => RedisServer): OpenEngine {
  return async (clock) => {
    const server = serverOf();
    await server.ask('FLUSHALL');
    const folder = await makeFolder();
    const open = async (): Promise<Engine> =>
      withState(new SqliteEngine({ folder, clock }), await openRedis(server, clock));
    let engine = await open();
    return {
      engine,
      reopen: async () => {
        await engine.close();
        engine = await open();
        return engine;
      },
      countState: async ({ tenantId }) => (engine.state as RedisStateStore).countTenant(tenantId),
      residue: async (traces) => {
        await engine.close();
        const left = Buffer.from(JSON.stringify([...(await server.everything())]));
        return traces.filter((trace) => left.includes(Buffer.from(trace)));
      },
      close: async () => {
        await engine.close();
        await removeFolder(folder);
      },
    };
  };
}

/** The engine, but for its state. */
function withState(engine: Engine, state: HotStore): Engine {
  const close = async (): Promise<void> => {
    await state.close();
    await engine.close();
  };
  return engineWith(engine, { state, close });
}
