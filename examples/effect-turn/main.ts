/** A turn that remembers, as a workflow of Effect: it is interrupted, memory changes, and its replay has the same prompt. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Effect, Layer, Logger, Schedule } from 'effect';
import { ClusterWorkflowEngine, TestRunner } from 'effect/cluster';
import { DurableDeferred } from 'effect/workflow';
// In a program of yours: from 'lamina' and 'lamina/effect'.
import { MemoryEntity, MemoryPort, type StoreItemInput } from '../../src/effect/index.ts';
import { Lamina } from '../../src/index.ts';
import { Approval, Model, Notes, Turn, TurnLayer } from './turn-workflow.ts';

const known = (content: string): StoreItemInput => ({
  tier: 'SemanticMemory',
  scope: 'GlobalScope',
  source: 'UserSource',
  content,
});

const TURN = { turnId: 'turn-1', agentId: 'assistant', message: 'Which language should the script be written in?' };

/** What memory said, each time that it was asked. */
const reads: string[] = [];
const calls: string[] = [];

/** Stands in for a language model. */
const model = Layer.succeed(Model, {
  answer: (prompt) =>
    Effect.sync(() => {
      calls.push(prompt);
      return prompt.includes('TypeScript') ? 'In TypeScript, of course.' : 'In whichever you like.';
    }),
});

const notes = Layer.succeed(Notes, { read: (prompt) => void reads.push(prompt) });

const program = Effect.gen(function* () {
  const memory = (yield* MemoryEntity.client)(TURN.agentId);
  yield* memory.store({
    items: [known('The user writes every script in TypeScript'), known('The cat is called Miez')],
  });

  const executionId = yield* Turn.execute(TURN, { discard: true });
  yield* Effect.sync(() => reads.length).pipe(
    Effect.repeat({ until: (count) => count === 1, schedule: Schedule.spaced('50 millis') }),
  );
  console.log(`The prompt, before the turn had to wait:\n\n${reads[0]}\n`);

  // Meanwhile everything that the prompt was made from is forgotten, and something else is learned.
  const { deletedCount } = yield* memory.forget({ scope: 'GlobalScope' });
  yield* memory.store({ items: [known('The user writes every script in Rust now')] });
  console.log(`Forgotten meanwhile: ${deletedCount}. Learned meanwhile: Rust.`);

  // The answer wakes the workflow, which begins anew and takes from the journal what is there.
  const token = DurableDeferred.tokenFromExecutionId(Approval, { workflow: Turn, executionId });
  yield* DurableDeferred.succeed(Approval, { token, value: undefined });
  const { prompt, reply } = yield* Turn.execute(TURN);
  console.log(`Memory was read ${reads.length} times, the model was called ${calls.length} time.`);
  console.log(`The replay has the same prompt: ${prompt === reads[0] && calls[0] === prompt}.`);
  console.log(`The reply: ${reply}`);

  const told = yield* memory.listItems({ tier: 'EpisodicMemory' });
  console.log(`Remembered of the turn: ${told.map(({ content }) => content).join(' | ')}`);
  const isFine = prompt === reads[0] && reads.at(-1) !== prompt && calls.length === 1 && told.length === 1;
  if (!isFine) process.exitCode = 1;
});

const folder = await mkdtemp(join(tmpdir(), 'lamina-effect-turn-'));
// For something that outlives the process: SingleRunner.layer() or NodeClusterSocket.layer() in the place of TestRunner.layer.
const layers = Layer.mergeAll(TurnLayer, MemoryEntity.layer).pipe(
  Layer.provideMerge(ClusterWorkflowEngine.layer),
  Layer.provideMerge(TestRunner.layer),
  Layer.provide([model, notes, MemoryPort.layer(() => Lamina.open({ folder })), Logger.layer([])]),
);
await Effect.runPromise(program.pipe(Effect.provide(layers)));
await rm(folder, { recursive: true });
