/**
 * A process with one memory entity, whose messages lie in a file. Told to crash, it dies where nothing worse could happen to a
 * message: memory has done it, and nobody knows.
 */

import { join } from 'node:path';
import { Effect, Layer, Logger } from 'effect';
import { SingleRunner } from 'effect/cluster';
import { Lamina } from '../src/compose/lamina.ts';
import { MemoryEntity, MemoryPort, type StoreItemInput } from '../src/effect/index.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { sqliteLayer } from './effect-sqlite.ts';

const [folder = '', message, crash] = process.argv.slice(2);
const isCrashing = crash === 'crash';

const die = Effect.sync(() => process.kill(process.pid, 'SIGKILL')).pipe(Effect.andThen(Effect.never));

const port = Layer.effect(
  MemoryPort,
  Effect.map(MemoryPort, (whole) => ({
    ...whole,
    encode: (...input: Parameters<typeof whole.encode>) =>
      whole.encode(...input).pipe(Effect.tap(() => (isCrashing ? die : Effect.void))),
    forget: (...input: Parameters<typeof whole.forget>) =>
      whole.forget(...input).pipe(Effect.tap(() => (isCrashing ? die : Effect.void))),
  })),
).pipe(
  Layer.provide(MemoryPort.layer(() => Lamina.open({ folder: join(folder, 'memory'), embedder: new HashEmbedder() }))),
);

const cluster = SingleRunner.layer({
  runnerStorage: 'memory',
  shardingConfig: { entityMessagePollInterval: 200, refreshAssignmentsInterval: 100 },
}).pipe(Layer.provide(sqliteLayer(join(folder, 'cluster.db'))));

const item = (content: string, tier: StoreItemInput['tier']): StoreItemInput => ({
  tier,
  scope: 'GlobalScope',
  source: 'AgentSource',
  content,
});

const ITEMS = [item('It happened', 'EpisodicMemory'), item('It is known', 'SemanticMemory')];

const program = Effect.gen(function* () {
  const client = (yield* MemoryEntity.client)('agent');
  const items = yield* client.listItems({});
  // Waits for the message from before the crash: it is the same message, so it is not sent twice.
  const answer =
    message === 'store'
      ? yield* client.store({ items: ITEMS, requestId: 'turn-1' })
      : yield* client.forget({ scope: 'GlobalScope', requestId: 'turn-2' });
  const after = yield* client.listItems({});
  const ids = (all: typeof after): string[] => all.map(({ memoryItemId }) => memoryItemId).toSorted();
  process.stdout.write(JSON.stringify({ answer, before: ids(items), after: ids(after) }));
});

await Effect.runPromise(
  program.pipe(
    Effect.provide(MemoryEntity.layer.pipe(Layer.provide(port), Layer.provideMerge(cluster))),
    Effect.provide(Logger.layer([])),
    Effect.scoped,
  ),
);
