/** A turn as a durable workflow: memory, then the model, then whatever the turn taught. */

import { Context, Effect, Schema } from 'effect';
import { Activity, DurableDeferred, Workflow } from 'effect/workflow';
// In a program of yours: from 'lamina/effect'.
import { MemoryEntity, MemoryError, MemoryPort } from '../../src/effect/index.ts';

/** The model, whichever it is. */
export class Model extends Context.Service<Model, { answer(prompt: string): Effect.Effect<string> }>()(
  'example/Model',
) {}

/** Told each time that memory was read, for whoever wants to see what a replay does. */
export class Notes extends Context.Service<Notes, { read(prompt: string): void }>()('example/Notes') {}

export const Turn = Workflow.make('Turn', {
  payload: { turnId: Schema.String, agentId: Schema.String, message: Schema.String },
  success: Schema.Struct({ prompt: Schema.String, reply: Schema.String }),
  error: MemoryError,
  idempotencyKey: ({ turnId }) => turnId,
});

/** Somebody has to say yes before the model is called. Until then the workflow sleeps, and costs nothing. */
export const Approval = DurableDeferred.make('Approval');

export const TurnLayer = Turn.toLayer(
  Effect.fnUntraced(function* ({ turnId, agentId, message }) {
    // Outside of any activity: a snapshot, made anew by every replay. If memory is down, it is the message alone.
    const port = yield* MemoryPort;
    const { prompt: fresh } = yield* port.turnContext(agentId, message);
    (yield* Notes).read(fresh);

    // The journal keeps the prompt of the first time, so that everything after it is the same however often it is replayed.
    const prompt = yield* Activity.make({ name: 'Prompt', success: Schema.String, execute: Effect.succeed(fresh) });

    yield* DurableDeferred.await(Approval);

    const model = yield* Model;
    const reply = yield* Activity.make({ name: 'Model', success: Schema.String, execute: model.answer(prompt) });

    // A persisted message under the name of the turn: however often it is sent, it is stored once. A turn that cannot be
    // remembered is a turn all the same.
    const memory = (yield* MemoryEntity.client)(agentId);
    yield* memory
      .store({
        requestId: turnId,
        items: [
          {
            tier: 'EpisodicMemory',
            scope: 'GlobalScope',
            source: 'AgentSource',
            content: `Asked "${message}", the agent said: ${reply}`,
            generatedByTurnId: turnId,
          },
        ],
      })
      .pipe(Effect.catch((error) => Effect.logWarning('The turn was not remembered', error)));
    return { prompt, reply };
  }),
);
