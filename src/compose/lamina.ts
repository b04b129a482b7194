/** Lamina embedded: memory in this process, on a folder, with nothing else to run. */

import { resolve } from 'node:path';
import { createCore } from '../core/create-core.ts';
import type { Core } from '../core/core.ts';
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
import type { Telemetry } from '../ports/telemetry.ts';
import { localEmbedder } from './embedders.ts';
import { openEngine } from './engines.ts';
import { systemClock, systemIds } from './system.ts';

const DEFAULT_FOLDER = './lamina-data';

export interface LaminaOptions {
  /** Where the data lies. Default `./lamina-data`. */
  readonly folder?: string;
  /** Instead of a folder, an address: `postgres://…`, `pglite:FOLDER` or `sqlite:FOLDER`. */
  readonly database?: string;
  /** Text to vectors. Default: all-MiniLM-L6-v2 on this machine, without network. It is cached either way. */
  readonly embedder?: Embedder;
  /** What it runs on, where it is already open. Default: what `database` or `folder` names. */
  readonly engine?: Engine;
  readonly limits?: Partial<Limits>;
  readonly telemetry?: Telemetry;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

const SILENT: Telemetry = { operationEnded: () => {} };

export class Lamina {
  readonly #core: Core;
  readonly #engine: Engine;
  readonly #embedder: CachedEmbedder;
  readonly #telemetry: Telemetry;

  private constructor(core: Core, engine: Engine, embedder: CachedEmbedder, telemetry: Telemetry) {
    this.#core = core;
    this.#engine = engine;
    this.#embedder = embedder;
    this.#telemetry = telemetry;
  }

  /** Opens the memory, making it where it is not there yet. Throws `CONFIGURATION_ERROR`. */
  static async open(options: LaminaOptions = {}): Promise<Lamina> {
    const clock = options.clock ?? systemClock;
    const engine = options.engine ?? (await openEngine({ databaseUrl: addressOf(options) }, clock));
    const embedder = new CachedEmbedder(options.embedder ?? localEmbedder());
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { entries, state, records, audit, erasure, events } = engine;
    const ids = options.ids ?? systemIds;
    const hot = state;
    const core = createCore({ entries, state, hot, records, audit, erasure, events, embedder, clock, ids, limits });
    return new Lamina(core, engine, embedder, options.telemetry ?? SILENT);
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

  /** Whether the store can be used, whether the model answered when it was last asked. Never throws. */
  async health(): Promise<HealthReport> {
    const started = performance.now();
    const store = await this.#checkStore();
    const embedder = this.#embedderHealth();
    // Without the model words can still be searched, and everything read.
    const status = store.status === 'healthy' ? embedder.status : store.status;
    return { status, latencyMs: performance.now() - started, components: { store, embedder } };
  }

  /** Writes out what is pending and lets go of files, threads and connections. Calls after it fail. */
  async close(): Promise<void> {
    try {
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

  async #checkStore(): Promise<ComponentHealth> {
    try {
      const message = await this.#engine.check();
      return message === undefined ? { status: 'healthy' } : { status: 'degraded', message };
    } catch (thrown) {
      return { status: 'unhealthy', message: asLaminaError(thrown).message };
    }
  }
}

function addressOf({ folder, database }: LaminaOptions): string {
  if (folder !== undefined && database !== undefined) {
    throw new LaminaError('CONFIGURATION_ERROR', 'Memory lies in a folder or in a database: name one of the two.');
  }
  return database ?? `sqlite:${resolve(folder ?? DEFAULT_FOLDER)}`;
}
