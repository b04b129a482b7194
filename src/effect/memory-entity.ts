/** The memory of an agent as an entity of Effect's cluster: one for each agent, by its id. */

import { createHash } from 'node:crypto';
import { Effect, type Layer, Schedule, Schema } from 'effect';
import { ClusterSchema, Entity, type Sharding } from 'effect/cluster';
import { Rpc } from 'effect/rpc';
import { v7 as newId } from 'uuid';
import { canonicalJson } from '../domain/json.ts';
import { MemoryError } from './memory-error.ts';
import { MemoryPort } from './memory-port.ts';
import {
  filterFields,
  ForgetResult,
  forgetFields,
  MemoryItemRecord,
  StoreItemInput,
  StoreResult,
} from './memory-schema.ts';

/**
 * Identifies the message, so that the cluster's storage takes it once, and memory does it once. Give your own to make
 * retries safe; otherwise each message is a new one. The same id with other content is another message, as it is for
 * memory.
 */
const requestId = Schema.String.pipe(Schema.optionalKey, Schema.withConstructorDefault(Effect.sync(() => newId())));

const store = Rpc.make('store', {
  payload: { items: Schema.Array(StoreItemInput), requestId },
  success: StoreResult,
  error: MemoryError,
  primaryKey: keyOf,
}).annotate(ClusterSchema.Persisted, true);

const retrieve = Rpc.make('retrieve', {
  payload: { query: Schema.String, ...filterFields, threshold: Schema.optional(Schema.Number) },
  success: Schema.Array(MemoryItemRecord),
  error: MemoryError,
});

const forget = Rpc.make('forget', {
  payload: { ...forgetFields, requestId },
  success: ForgetResult,
  error: MemoryError,
  primaryKey: keyOf,
}).annotate(ClusterSchema.Persisted, true);

const listItems = Rpc.make('listItems', {
  payload: filterFields,
  success: Schema.Array(MemoryItemRecord),
  error: MemoryError,
});

/**
 * Of the content as well: who sends something else under an id that was used must not be given the answer to another message,
 * and have lost this one. What is read from storage without a key has none; it is never looked for by it.
 */
function keyOf({ requestId: id, ...content }: { readonly requestId?: string }): string {
  if (id === undefined) return '';
  return `${id}/${createHash('sha256').update(canonicalJson(content)).digest('base64url')}`;
}

const entity = Entity.make('MemoryEntity', [store, retrieve, forget, listItems]);

/**
 * A persisted message is answered once, even with a failure. So retryable failures are retried here, where the message
 * still exists, and not by the sender.
 */
const PATIENCE = {
  while: ({ retryable }: MemoryError): boolean => retryable,
  times: 4,
  schedule: Schedule.exponential('200 millis'),
};

const layer: Layer.Layer<never, never, MemoryPort | Sharding.Sharding> = entity.toLayer(
  Effect.gen(function* () {
    const port = yield* MemoryPort;
    const { entityId: agentId } = yield* Entity.CurrentAddress;
    return entity.of({
      // The id of the envelope is the same when the message is read again after a crash.
      store: ({ payload: { items, requestId: id }, requestId: envelope }) =>
        port.encode(agentId, items, { requestId: id ?? String(envelope) }).pipe(Effect.retry(PATIENCE)),
      forget: ({ payload: { requestId: id, ...filters }, requestId: envelope }) =>
        port.forget(agentId, filters, { requestId: id ?? String(envelope) }).pipe(Effect.retry(PATIENCE)),
      // Reads do not wait: they change nothing.
      retrieve: ({ payload: { query, ...filters } }) => Rpc.fork(port.retrieve(agentId, query, filters)),
      listItems: ({ payload }) => Rpc.fork(port.list(agentId, payload)),
    });
  }),
);

/**
 * `store` and `forget` are persisted messages and happen once, whatever crashes in between; `retrieve` and `listItems` are not
 * persisted. All fail with a {@link MemoryError}. `MemoryEntity.layer` serves the entities of this runner, over a
 * {@link MemoryPort}; `MemoryEntity.client` sends.
 */
export const MemoryEntity: typeof entity & { readonly layer: typeof layer } = Object.assign(entity, { layer });
