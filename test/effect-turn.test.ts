/** The workflow of examples/effect-turn: memory before the model, the same prompt when it is replayed, and no turn lost. */

import { Effect, Layer, Logger, Schedule } from 'effect';
import { ClusterWorkflowEngine, MessageStorage, TestRunner, type Sharding } from 'effect/cluster';
import { DurableDeferred, type WorkflowEngine } from 'effect/workflow';
import { describe, expect, it } from 'vitest';
import { Approval, Model, Notes, Turn, TurnLayer } from '../examples/effect-turn/turn-workflow.ts';
import { MemoryEntity, MemoryPort, type StoreItemInput } from '../src/effect/index.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import type { Lamina } from '../src/compose/lamina.ts';

const known = (content: string): StoreItemInput => ({
  tier: 'SemanticMemory',
  scope: 'GlobalScope',
  source: 'UserSource',
  content,
});

const MESSAGE = 'Which language should the script be written in?';

/** Runs a program beside the workflow; tells what memory and the model were asked. */
async function withTurns<A>(
  lamina: Lamina,
  program: (
    reads: readonly string[],
  ) => Effect.Effect<A, unknown, Sharding.Sharding | WorkflowEngine.WorkflowEngine | MessageStorage.MemoryDriver>,
): Promise<{ result: A; reads: string[]; calls: string[] }> {
  const reads: string[] = [];
  const calls: string[] = [];
  const model = Layer.succeed(Model, {
    answer: (prompt) => Effect.sync(() => `answer ${calls.push(prompt)}`),
  });
  const layers = Layer.mergeAll(TurnLayer, MemoryEntity.layer).pipe(
    Layer.provideMerge(ClusterWorkflowEngine.layer),
    Layer.provideMerge(TestRunner.layer),
    Layer.provide([
      model,
      Layer.succeed(Notes, { read: (prompt) => void reads.push(prompt) }),
      MemoryPort.over(lamina),
      Logger.layer([]),
    ]),
  );
  const result = await Effect.runPromise(program(reads).pipe(Effect.provide(layers)));
  return { result, reads, calls };
}

/** Begins a turn, and resolves when it waits. */
const begin = (turn: { turnId: string; agentId: string; message: string }, reads: readonly string[]) =>
  Effect.gen(function* () {
    const executionId = yield* Turn.execute(turn, { discard: true });
    yield* Effect.sync(() => reads.length).pipe(
      Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced('20 millis') }),
    );
    const token = DurableDeferred.tokenFromExecutionId(Approval, { workflow: Turn, executionId });
    return DurableDeferred.succeed(Approval, { token, value: undefined });
  });

describe('a turn', () => {
  it('has the same prompt when it is replayed, whatever became of memory, and is remembered once', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const turn = { turnId: 'turn-1', agentId: 'assistant', message: MESSAGE };
    const { result, reads, calls } = await withTurns(lamina, (seen) =>
      Effect.gen(function* () {
        const memory = (yield* MemoryEntity.client)('assistant');
        yield* memory.store({ items: [known('The user has every script written in TypeScript')] });
        const approve = yield* begin(turn, seen);
        expect((yield* memory.forget({ scope: 'GlobalScope' })).deletedCount).toBe(1);
        yield* memory.store({ items: [known('The user has every script written in Rust')] });
        yield* approve;
        const first = yield* Turn.execute(turn);
        expect(yield* Turn.execute(turn)).toEqual(first);
        const driver = yield* MessageStorage.MemoryDriver;
        const journal = driver.journal.length;
        return { ...first, journal, told: yield* memory.listItems({ tier: 'EpisodicMemory' }) };
      }),
    );
    expect(reads).toHaveLength(2);
    expect(reads[0]).toContain('TypeScript');
    expect(reads[1]).toContain('Rust');
    expect(result.prompt).toBe(reads[0]);
    expect(calls).toEqual([reads[0]]);
    expect(result.reply).toBe('answer 1');
    expect(result.told.map(({ generatedByTurnId }) => generatedByTurnId)).toEqual(['turn-1']);
    expect(result.journal).toBeGreaterThan(0);
  }, 30_000);

  it('goes on without memory where that is down', async () => {
    const { lamina, close } = await openLamina();
    await close();
    const turn = { turnId: 'turn-2', agentId: 'assistant', message: MESSAGE };
    const { result, calls } = await withTurns(lamina, (seen) =>
      Effect.gen(function* () {
        yield* yield* begin(turn, seen);
        return yield* Turn.execute(turn);
      }),
    );
    expect(result.reply).toBe('answer 1');
    expect(calls[0]).toContain(MESSAGE);
    expect(calls[0]).not.toContain('[Relevant Memory]');
  }, 30_000);
});
