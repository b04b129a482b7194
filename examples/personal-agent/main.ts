/**
 * A personal agent with Effect: memory is a service in the environment of each turn. Two people have the same assistant, and it
 * is started anew every day. It learns, remembers, is told to forget, and goes on when memory is away. The model is scripted.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Context, Effect, Layer } from 'effect';
// In a program of yours: from 'lamina', 'lamina/client' and 'lamina/effect'.
import { LaminaClient } from '../../src/client/index.ts';
import { MemoryPort, type MemoryError, type MemoryHost, type StoreItemInput } from '../../src/effect/index.ts';
import { Lamina } from '../../src/index.ts';

const AGENT = 'assistant';

class Model extends Context.Service<Model, { answer(prompt: string): Effect.Effect<string> }>()('example/Model') {}

/** Stands in for a language model: it goes by what it reads, and by nothing else. */
const model = Layer.succeed(Model, {
  answer: (prompt) =>
    Effect.succeed(
      prompt.includes('window seat') ? 'I took a window seat, as always.' : 'Would you like the window or the aisle?',
    ),
});

const learned = (content: string): StoreItemInput => ({
  tier: 'SemanticMemory',
  scope: 'GlobalScope',
  source: 'UserSource',
  content,
});

/** What the person says about themselves is kept, once, however often the turn is repeated. */
const learn = Effect.fnUntraced(function* (turnId: string, content: string) {
  const memory = yield* MemoryPort;
  const { storedIds } = yield* memory.encode(AGENT, [learned(content)], { requestId: turnId });
  console.log(`  learned: ${content} (${storedIds.length})`);
});

/** Memory before the turn, then the model. If memory is away, the prompt is the message alone. */
const turn = Effect.fnUntraced(function* (message: string) {
  const memory = yield* MemoryPort;
  const { prompt, degraded } = yield* memory.turnContext(AGENT, message);
  const reply = yield* (yield* Model).answer(prompt);
  console.log(`  ${message} ${reply}${degraded ? ' (without memory)' : ''}`);
  return reply;
});

const forgetSeats = Effect.gen(function* () {
  const memory = yield* MemoryPort;
  const found = yield* memory.retrieve(AGENT, 'Where does the user like to sit on a plane?', {
    limit: 1,
    threshold: 0.3,
  });
  const { deletedCount } = yield* memory.forget(AGENT, { itemIds: found.map(({ memoryItemId }) => memoryItemId) });
  console.log(`  forgotten: ${deletedCount}`);
});

/** A day of one person: memory is opened for it, and closed after it, whatever happens. */
async function day<A>(
  title: string,
  userId: string,
  open: () => Promise<MemoryHost>,
  program: Effect.Effect<A, MemoryError, MemoryPort | Model>,
): Promise<A> {
  console.log(title);
  const layers = Layer.mergeAll(MemoryPort.layer(open, { principal: { userId } }), model);
  return Effect.runPromise(program.pipe(Effect.provide(layers)));
}

const folder = await mkdtemp(join(tmpdir(), 'lamina-personal-'));
const open = (): Promise<MemoryHost> => Lamina.open({ folder });
const nobody = async (): Promise<MemoryHost> =>
  new LaminaClient({ url: 'http://127.0.0.1:9', retry: { maxAttempts: 1 } });
const ask = turn('Book my flight: which seat do I like on a plane?');
try {
  const replies = [
    await day(
      'Monday, Ada:',
      'ada',
      open,
      learn('turn-1', 'The user likes a window seat on a plane').pipe(Effect.andThen(ask)),
    ),
    await day('Tuesday, Ada, after a restart:', 'ada', open, ask),
    await day('Tuesday, Bob, who has the same assistant:', 'bob', open, ask),
    await day('Wednesday, memory is away:', 'ada', nobody, ask),
    await day('Thursday, Ada wants it forgotten:', 'ada', open, forgetSeats.pipe(Effect.andThen(ask))),
  ];
  const isKnown = replies.map((reply) => reply.includes('as always'));
  console.log(`It knew: ${isKnown.join(', ')}`);
  if (isKnown.join() !== 'true,true,false,false,false') process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
