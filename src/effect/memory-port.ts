/** Memory as a service of Effect: used by the memory entity, and usable without it. */

import { Context, DateTime, Effect, Layer } from 'effect';
import { invalidField } from '../domain/error.ts';
import type { ItemsListInput, MemoryItem } from '../domain/memory-item.ts';
import { LOCAL_USER, type PrincipalInput } from '../domain/principal.ts';
import type { TurnContextInput, TurnContextOutput } from '../domain/turn.ts';
import type { Memory } from '../operations/memory.ts';
import { memoryErrorOf, type MemoryError } from './memory-error.ts';
import {
  ForgetResult,
  MemoryItemId,
  MemoryItemRecord,
  StoreResult,
  type ForgetFilters,
  type ItemFilters,
  type StoreItemInput,
} from './memory-schema.ts';

/** A `Lamina` that is open, or a `LaminaClient`. */
export interface MemoryHost {
  as(principal: PrincipalInput): Memory;
  close(): Promise<void>;
}

export interface MemoryPortOptions {
  /** Whose agents these are; the agent is added. Default: the user `local` of the nil tenant. */
  readonly principal?: PrincipalInput | ((agentId: string) => PrincipalInput) | undefined;
  /** The project that `ProjectScope` means. Without one that scope is refused with `MISSING_IDENTIFIER`. */
  readonly projectId?: string | undefined;
}

/** Identifies a repeated request: then nothing is changed, and the answer is the same. */
interface Once {
  readonly requestId?: string | undefined;
}

/**
 * Every method fails with a {@link MemoryError}, and then has changed nothing: except for `forget`, which may have deleted
 * some and can be repeated, and for `UNAVAILABLE` over HTTP, where only the answer may be lost.
 */
export interface MemoryPortService {
  /** Stores items, all or none. */
  encode(agentId: string, items: readonly StoreItemInput[], once?: Once): Effect.Effect<StoreResult, MemoryError>;
  /** Finds items by meaning and by words, best first: as many as the limit says, up to 100, else 20. */
  retrieve(
    agentId: string,
    query: string,
    filters?: ItemFilters & { readonly threshold?: number | undefined },
  ): Effect.Effect<readonly MemoryItemRecord[], MemoryError>;
  /** Deletes items for good, with everything that is kept with them. */
  forget(agentId: string, filters: ForgetFilters, once?: Once): Effect.Effect<ForgetResult, MemoryError>;
  /** Newest first, as many as the limit says, which is any whole number from 1 on, else 50. */
  list(agentId: string, filters?: ItemFilters): Effect.Effect<readonly MemoryItemRecord[], MemoryError>;
  /**
   * What the agent should know before it answers this message, as a prompt. If memory is down it is only the message, and
   * says so: only bad input fails.
   */
  turnContext(
    agentId: string,
    message: string,
    options?: Omit<TurnContextInput, 'message' | 'agentId'>,
  ): Effect.Effect<TurnContextOutput, MemoryError>;
  /** Everything else that memory can do, as this agent. Fails with `VALIDATION_FAILED` for what cannot be an agent's id. */
  use<A>(agentId: string, work: (memory: Memory) => Promise<A>): Effect.Effect<A, MemoryError>;
}

/** Memory, on whichever engine. */
export class MemoryPort extends Context.Service<MemoryPort, MemoryPortService>()('lamina/effect/MemoryPort') {
  /**
   * Opens memory with the layer and closes it with its scope: `MemoryPort.layer(() => Lamina.open({ folder }))`, or
   * `MemoryPort.layer(async () => new LaminaClient({ url }))`. Fails with what opening fails with.
   */
  static layer(open: () => Promise<MemoryHost>, options: MemoryPortOptions = {}): Layer.Layer<MemoryPort, MemoryError> {
    const opened = Effect.acquireRelease(Effect.tryPromise({ try: open, catch: memoryErrorOf }), (host) =>
      Effect.promise(() => host.close()),
    );
    return Layer.effect(
      MemoryPort,
      Effect.map(opened, (host) => portOver(host, options)),
    );
  }

  /** Over memory that is already open, and stays open. */
  static over(host: Pick<MemoryHost, 'as'>, options: MemoryPortOptions = {}): Layer.Layer<MemoryPort> {
    return Layer.succeed(MemoryPort, portOver(host, options));
  }
}

const PAGE = 100;
const DEFAULT_LIMIT = 50;

function portOver(host: Pick<MemoryHost, 'as'>, { principal, projectId }: MemoryPortOptions): MemoryPortService {
  const principalOf = (agentId: string): PrincipalInput => ({
    agentId,
    ...(typeof principal === 'function' ? principal(agentId) : (principal ?? { userId: LOCAL_USER })),
  });
  const use: MemoryPortService['use'] = (agentId, work) =>
    Effect.tryPromise({ try: async () => work(host.as(principalOf(agentId))), catch: memoryErrorOf });
  return {
    use,
    encode: (agentId, items, once = {}) =>
      use(agentId, async (memory) => {
        const { storedIds } = await memory.items.store({ agentId, projectId, items: [...items], ...once });
        return new StoreResult({ storedIds: storedIds.map((id) => MemoryItemId.make(id)) });
      }),
    retrieve: (agentId, query, filters = {}) =>
      use(agentId, (memory) => memory.items.retrieve({ agentId, projectId, query, ...filters })).pipe(
        Effect.tap(({ warnings }) => warned(warnings)),
        Effect.map(({ items }) => items.map(recordOf)),
      ),
    forget: (agentId, { cutoffDate, itemIds, ...where }, once = {}) =>
      use(agentId, async (memory) => {
        const { deletedCount } = await memory.items.forget({
          agentId,
          projectId,
          ...where,
          ...(cutoffDate !== undefined && { cutoffDate: DateTime.formatIso(cutoffDate) }),
          ...(itemIds !== undefined && { itemIds: [...itemIds] }),
          ...once,
        });
        return new ForgetResult({ deletedCount });
      }),
    list: (agentId, { limit = DEFAULT_LIMIT, ...where } = {}) =>
      use(agentId, (memory) => listed(memory, { agentId, projectId, ...where }, limit)).pipe(
        Effect.tap(({ warnings }) => warned(warnings)),
        Effect.map(({ records }) => records),
      ),
    turnContext: (agentId, message, { identifiers, ...options } = {}) =>
      use(agentId, (memory) => {
        const wider = projectId === undefined ? identifiers : { projectId, ...identifiers };
        return memory.turnContext({ ...options, agentId, message, ...(wider !== undefined && { identifiers: wider }) });
      }),
  };
}

/** What is answered has no place for these either. */
function warned(warnings: readonly string[] = []): Effect.Effect<void> {
  return Effect.forEach(warnings, (warning) => Effect.logWarning(warning), { discard: true });
}

interface Listed {
  readonly records: MemoryItemRecord[];
  readonly warnings: readonly string[] | undefined;
}

/** Page by page, because what is answered has no place for a cursor. */
async function listed(memory: Memory, where: ItemsListInput, limit: number): Promise<Listed> {
  // A page would refuse it too, but only when it comes to the part of it that is left.
  if (!Number.isSafeInteger(limit) || limit < 1) throw invalidField('limit', 'must be a whole number, at least 1');
  const records: MemoryItemRecord[] = [];
  let warnings: readonly string[] | undefined;
  let cursor: string | undefined;
  do {
    const size = Math.min(PAGE, limit - records.length);
    const page = await memory.items.list({ ...where, limit: size, ...(cursor !== undefined && { cursor }) });
    records.push(...page.items.map(recordOf));
    ({ warnings } = page);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && records.length < limit);
  return { records, warnings };
}

function recordOf({ memoryItemId, createdAt, updatedAt, ...row }: MemoryItem): MemoryItemRecord {
  return new MemoryItemRecord({
    ...row,
    memoryItemId: MemoryItemId.make(memoryItemId),
    createdAt: DateTime.makeUnsafe(createdAt),
    updatedAt: DateTime.makeUnsafe(updatedAt),
  });
}
