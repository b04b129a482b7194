/** Lamina embedded: memory in this process, on a folder, with nothing else to run. */

import { resolve } from 'node:path';
import { HotErasure } from '../core/admin/hot-erasure.ts';
import { createCore } from '../core/create-core.ts';
import type { Dependencies } from '../core/dependencies.ts';
import type { Core } from '../core/core.ts';
import { keepUp, type UpkeepOptions } from '../core/upkeep/keep-up.ts';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import type { ComponentHealth, HealthReport } from '../domain/health.ts';
import { DEFAULT_LIMITS, type Limits } from '../domain/limits.ts';
import { principalSchema, type Principal, type PrincipalInput } from '../domain/principal.ts';
import { CachedEmbedder } from '../embedding/cached-embedder.ts';
import { followOn, invokeOn } from '../operations/invoke.ts';
import { memoryOver, type Memory } from '../operations/memory.ts';
import type { Follow, Invoke } from '../operations/table.ts';
import { validate } from '../operations/validate.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { localEmbedder } from './embedders.ts';
import { openEngine } from './engines.ts';
import type { RedisFallback } from './redis.ts';
import { systemClock, systemIds } from './system.ts';

const DEFAULT_FOLDER = './lamina-data';

export interface LaminaOptions {
  /** Where the data lies. Default `./lamina-data`. */
  readonly folder?: string;
  /** Instead of a folder, an address: `postgres://…`, `pglite:FOLDER` or `sqlite:FOLDER`. */
  readonly database?: string;
  /** Redis for working and short-term memory: `redis://…` or `rediss://…`. Default: they lie in the database. */
  readonly redis?: string | undefined;
  /** What stands in while Redis cannot be reached. Default `none`: calls fail, and so does opening. */
  readonly redisFallback?: RedisFallback | undefined;
  /** Text to vectors. Default: all-MiniLM-L6-v2 on this machine, without network. It is cached either way. */
  readonly embedder?: Embedder;
  /** What it runs on, where it is already open. Default: what `database` or `folder` names. */
  readonly engine?: Engine;
  readonly limits?: Partial<Limits>;
  readonly telemetry?: Telemetry;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** What is closed with it. */
interface Owned {
  readonly engine: Engine;
  readonly hot: HotStore | undefined;
  readonly embedder: CachedEmbedder;
}

const SILENT: Telemetry = { operationEnded: () => {} };

export class Lamina {
  readonly #dependencies: Dependencies;
  readonly #core: Core;
  readonly #engine: Engine;
  readonly #hot: HotStore | undefined;
  readonly #embedder: CachedEmbedder;
  readonly #telemetry: Telemetry;

  private constructor(dependencies: Dependencies, { engine, hot, embedder }: Owned, telemetry: Telemetry) {
    this.#dependencies = dependencies;
    this.#core = createCore(dependencies);
    this.#engine = engine;
    this.#hot = hot;
    this.#embedder = embedder;
    this.#telemetry = telemetry;
  }

  /** Opens the memory, making it where it is not there yet. Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`. */
  static async open(options: LaminaOptions = {}): Promise<Lamina> {
    const clock = options.clock ?? systemClock;
    const engine = options.engine ?? (await openEngine({ databaseUrl: addressOf(options) }, clock));
    const hot = await openHot(options, engine, clock);
    const embedder = new CachedEmbedder(options.embedder ?? localEmbedder());
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { entries, state, records, audit, erasure, events, archive, upkeep } = engine;
    const ids = options.ids ?? systemIds;
    const dependencies: Dependencies = {
      entries,
      state,
      hot: hot ?? state,
      records,
      audit,
      erasure: hot === undefined ? erasure : new HotErasure(erasure, hot),
      events,
      embedder,
      clock,
      ids,
      limits,
      archive,
      upkeep,
    };
    return new Lamina(dependencies, { engine, hot, embedder }, options.telemetry ?? SILENT);
  }

  /** Memory as this principal sees it. Throws `VALIDATION_FAILED` when the principal is not one. */
  as(principal: PrincipalInput): Memory {
    const valid = validate(principalSchema, principal);
    return memoryOver(this.invokeAs(valid), this.followAs(valid));
  }

  /** The operations by name, for surfaces. */
  invokeAs(principal: Principal): Invoke {
    return invokeOn(this.#core, principal, this.#telemetry);
  }

  /** The streams by name, for surfaces. */
  followAs(principal: Principal): Follow {
    return followOn(this.#core, principal, this.#telemetry);
  }

  /** The principal for whom an API key speaks; null when it is none, or unknown, expired or revoked. */
  principalOfKey(key: string): Promise<Principal | null> {
    return this.#core.keys.verify(key);
  }

  /**
   * Removes what has expired and does maintenance when it is due, until the signal tells to stop. For the one process that
   * leads: nothing of this happens by itself.
   */
  keepUp(options: UpkeepOptions, signal: AbortSignal): Promise<void> {
    return keepUp(this.#dependencies, options, signal);
  }

  /** Whether the store can be used, whether the model answered when it was last asked. Never throws. */
  async health(): Promise<HealthReport> {
    const started = performance.now();
    const [store, hot] = await Promise.all([checked(this.#engine), this.#hot && checked(this.#hot)]);
    const embedder = this.#embedderHealth();
    const components = { store, ...(hot && { hot }), embedder };
    // Without the model words can still be searched, and without Redis what was remembered; only the store is all of it.
    const isImpaired = Object.values(components).some(({ status }) => status !== 'healthy');
    const status = store.status === 'unhealthy' ? 'unhealthy' : isImpaired ? 'degraded' : 'healthy';
    return { status, latencyMs: performance.now() - started, components };
  }

  /** Writes out what is pending and lets go of files, threads and connections. Calls after it fail. */
  async close(): Promise<void> {
    try {
      await this.#hot?.close();
      await this.#engine.close();
    } finally {
      await this.#embedder.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #embedderHealth(): ComponentHealth {
    const { failure } = this.#embedder;
    return failure === undefined ? { status: 'healthy' } : { status: 'degraded', message: failure };
  }
}

async function checked(component: Pick<Engine, 'check'>): Promise<ComponentHealth> {
  try {
    const message = await component.check();
    return message === undefined ? { status: 'healthy' } : { status: 'degraded', message };
  } catch (thrown) {
    return { status: 'unhealthy', message: asLaminaError(thrown).message };
  }
}

/** Undefined where there is none. Closes an engine that was opened for nothing. */
async function openHot(options: LaminaOptions, engine: Engine, clock: Clock): Promise<HotStore | undefined> {
  if (options.redis === undefined) return undefined;
  try {
    const { openRedis } = await import('./redis.ts');
    return await openRedis(options.redis, options.redisFallback ?? 'none', engine, clock);
  } catch (error) {
    if (options.engine === undefined) await engine.close();
    throw error;
  }
}

function addressOf({ folder, database }: LaminaOptions): string {
  if (folder !== undefined && database !== undefined) {
    throw new LaminaError('CONFIGURATION_ERROR', 'Memory lies in a folder or in a database: name one of the two.');
  }
  return database ?? `sqlite:${resolve(folder ?? DEFAULT_FOLDER)}`;
}
