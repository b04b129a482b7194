/** Lamina embedded: memory in this process, on a folder, with nothing else to run. */

import { resolve } from 'node:path';
import { HotErasure } from '../core/admin/hot-erasure.ts';
import { IndexErasure } from '../core/admin/index-erasure.ts';
import { createCore } from '../core/create-core.ts';
import type { Dependencies } from '../core/dependencies.ts';
import type { Core } from '../core/core.ts';
import { GuardedReranker } from '../core/recall/guarded-reranker.ts';
import { ChangingEmbedder } from '../core/spaces/changing-embedder.ts';
import { Indexer } from '../core/indexing/indexer.ts';
import { keepUp, type UpkeepOptions } from '../core/upkeep/keep-up.ts';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import type { ComponentHealth, HealthReport } from '../domain/health.ts';
import { lifecyclePolicy } from '../domain/lifecycle-policy.ts';
import { DEFAULT_LIMITS } from '../domain/limits.ts';
import { rerankPolicy } from '../domain/reranking.ts';
import { principalSchema, type Principal, type PrincipalInput } from '../domain/principal.ts';
import { DEFAULT_RANKING } from '../domain/ranking.ts';
import { quarantinePolicy } from '../domain/quarantine.ts';
import { turnPolicy } from '../domain/turn.ts';
import { CachedEmbedder } from '../embedding/cached-embedder.ts';
import { GuardedEmbedder } from '../embedding/guarded-embedder.ts';
import { ObservedEmbedder } from '../embedding/observed-embedder.ts';
import { umapLayout } from '../embedding/umap/umap-layout.ts';
import { followOn, invokeOn } from '../operations/invoke.ts';
import { memoryOver, type Memory } from '../operations/memory.ts';
import type { Follow, Invoke } from '../operations/table.ts';
import { validate } from '../operations/validate.ts';
import type { Clock } from '../ports/clock.ts';
import type { Embedder, EmbedderSettings } from '../ports/embedder.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';
import type { Telemetry, Tracing } from '../ports/telemetry.ts';
import type { VectorIndex } from '../ports/vector-index.ts';
import { hostTelemetry, type HostTelemetry } from '../telemetry/host-telemetry.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import { tracedStore, tracedStores } from '../telemetry/traced-store.ts';
import { localEmbedder } from './embedders.ts';
import { openEngine } from './engines.ts';
import { assertOptions, type LaminaOptions } from './lamina-options.ts';
import { packageVersion } from './package-version.ts';
import { hotBeside, sealedWith } from './sealing.ts';
import { systemClock, systemIds } from './system.ts';
import { vitalsOf } from './vitals.ts';

const DEFAULT_FOLDER = './lamina-data';

/** What is closed with it. */
interface Owned {
  readonly engine: Engine;
  readonly hot: HotStore | undefined;
  readonly indexer: Indexer | undefined;
  readonly embedder: ChangingEmbedder;
  /** Of the program, where nothing else was given. */
  readonly host: HostTelemetry | undefined;
}

/** Who is told what is done. */
interface Observers {
  readonly telemetry: Telemetry;
  readonly tracing: Tracing;
}

const SILENT: Telemetry = { operationEnded: () => {} };

export class Lamina {
  readonly #dependencies: Dependencies;
  readonly #core: Core;
  readonly #engine: Engine;
  readonly #hot: HotStore | undefined;
  readonly #indexer: Indexer | undefined;
  readonly #embedder: ChangingEmbedder;
  readonly #host: HostTelemetry | undefined;
  readonly #observers: Observers;

  private constructor(
    dependencies: Dependencies,
    { engine, hot, indexer, embedder, host }: Owned,
    observers: Observers,
  ) {
    this.#dependencies = dependencies;
    this.#core = createCore(dependencies);
    this.#engine = engine;
    this.#hot = hot;
    this.#indexer = indexer;
    this.#embedder = embedder;
    this.#host = host;
    this.#observers = observers;
  }

  /** Opens the memory, making it where it is not there yet. Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`. */
  static async open(options: LaminaOptions = {}): Promise<Lamina> {
    assertOptions(options);
    const clock = options.clock ?? systemClock;
    const opening: { lamina?: Lamina } = {};
    const lifecycle = lifecyclePolicy(options.lifecycle);
    const turn = turnPolicy(options.turn);
    const quarantine = quarantinePolicy(options.quarantine);
    const reranking = rerankPolicy(options.reranking);
    const { languageModel } = options;
    const host = options.telemetry === undefined ? hostTelemetry() : undefined;
    const observers = { telemetry: options.telemetry ?? host ?? SILENT, tracing: options.tracing ?? hostTracing() };
    const { masterKey } = options;
    const engine = options.engine
      ? sealedWith(options.engine, masterKey, clock)
      : await openEngine({ databaseUrl: addressOf(options), masterKey }, clock, observers);
    const hot = await openHot(options, engine, clock, observers.telemetry);
    const vectors = await openIndex(options, hot, engine);
    const embedder = changingEmbedder(options, engine, observers);
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { tracing, telemetry } = observers;
    const { entries, state, records, facts, audit, erasure, events, archive, upkeep, inspector } = tracedStores(
      engine,
      tracing,
    );
    const ids = options.ids ?? systemIds;
    const index = vectors && tracedStore('index', 'qdrant', vectors, tracing);
    const indexer = index && new Indexer({ index, embedder, upkeep, events, archive, clock, ids });
    const ofStores = hot === undefined ? erasure : new HotErasure(erasure, hot);
    const dependencies: Dependencies = {
      entries,
      state,
      hot: hot === undefined ? state : tracedStore('hot', 'redis', hot, tracing),
      hotArchive: hot && tracedStore('hotArchive', 'redis', hot.archive, tracing),
      records,
      facts,
      audit,
      erasure: index === undefined ? ofStores : new IndexErasure(ofStores, index),
      events,
      indexer,
      embedder,
      clock,
      ids,
      limits,
      version: versionOf,
      archive,
      upkeep,
      inspector,
      layout: umapLayout(),
      vitals: vitalsOf(telemetry, () => opening.lamina),
      telemetry,
      lifecycle,
      turn,
      quarantine,
      ranking: { ...DEFAULT_RANKING, ...options.ranking },
      languageModel,
      reranker:
        options.reranker && new GuardedReranker({ reranker: options.reranker, policy: reranking, clock, telemetry }),
    };
    host?.watch({ storageSize: () => engine.size(), load: () => engine.load?.() ?? {}, isHotStoreUp: () => hot?.isUp });
    opening.lamina = new Lamina(dependencies, { engine, hot, indexer, embedder, host }, observers);
    return opening.lamina;
  }

  /** Memory as this principal sees it. Throws `VALIDATION_FAILED` when the principal is not one. */
  as(principal: PrincipalInput): Memory {
    const valid = validate(principalSchema, principal);
    return memoryOver(this.invokeAs(valid), this.followAs(valid));
  }

  /** The operations by name, for surfaces. */
  invokeAs(principal: Principal): Invoke {
    return invokeOn(this.#core, principal, this.#observers.telemetry, this.#observers.tracing);
  }

  /** The streams by name, for surfaces. */
  followAs(principal: Principal): Follow {
    return followOn(this.#core, principal, this.#observers.telemetry, this.#observers.tracing);
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

  /** Whether Redis can be reached, as far as is known without asking; undefined where it is not used. */
  get isHotStoreUp(): boolean | undefined {
    return this.#hot?.isUp;
  }

  /** Whether the store can be used, whether the model answered when it was last asked. Never throws. */
  async health(): Promise<HealthReport> {
    const started = performance.now();
    const [store, hot, index] = await Promise.all([
      checked(this.#engine),
      this.#hot && checked(this.#hot),
      this.#indexer && checked(this.#indexer),
    ]);
    const { reranker } = this.#dependencies;
    const components = {
      store,
      ...(hot && { hot }),
      ...(index && { index }),
      embedder: await this.#embedderHealth(),
      ...(reranker && { reranker: asLastAsked(reranker) }),
    };
    // Without the model words can still be searched, and without Redis what was remembered; only the store is all of it.
    const isImpaired = Object.values(components).some(({ status }) => status !== 'healthy');
    const status = store.status === 'unhealthy' ? 'unhealthy' : isImpaired ? 'degraded' : 'healthy';
    return { status, latencyMs: performance.now() - started, components };
  }

  async #embedderHealth(): Promise<ComponentHealth> {
    const { failure } = this.#embedder;
    if (failure !== undefined) return { status: 'degraded', message: failure };
    try {
      const message = await this.#embedder.notice();
      return { status: 'healthy', ...(message !== undefined && { message }) };
    } catch (thrown) {
      return { status: 'degraded', message: asLaminaError(thrown).message };
    }
  }

  /** Writes out what is pending and lets go of files, threads and connections. Calls after it fail. */
  async close(): Promise<void> {
    this.#host?.close();
    await this.#dependencies.languageModel?.close();
    await this.#dependencies.reranker?.close();
    try {
      await this.#indexer?.close();
      await this.#hot?.close();
      await this.#engine.close();
    } finally {
      await this.#embedder.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Of what a search can go on without. */
function asLastAsked({ failure }: { readonly failure: string | undefined }): ComponentHealth {
  return failure === undefined ? { status: 'healthy' } : { status: 'degraded', message: failure };
}

/** Held to its promises and counted; cached in front of that. */
function observedEmbedder(embedder: Embedder, { telemetry, tracing }: Observers): CachedEmbedder {
  const observed = new ObservedEmbedder(new GuardedEmbedder(embedder), telemetry, tracing);
  return new CachedEmbedder(observed, { found: (texts) => telemetry.embeddingsCached?.(texts) });
}

/** The model that the database names, which is the given one until it was changed. */
function changingEmbedder(options: LaminaOptions, engine: Engine, observers: Observers): ChangingEmbedder {
  const { embedder = localEmbedder(), embedderFor = localOnly, isModelFixed = false } = options;
  return new ChangingEmbedder({
    spaces: isModelFixed ? { read: () => Promise.resolve(undefined) } : engine.spaces,
    configured: observedEmbedder(embedder, observers),
    make: (settings) => {
      const made = embedderFor(settings);
      return made && observedEmbedder(made, observers);
    },
    warn: (message) => process.emitWarning(message, 'LaminaWarning'),
  });
}

function localOnly({ provider }: EmbedderSettings): Embedder | undefined {
  return provider === 'local' ? localEmbedder() : undefined;
}

/** Where it was bundled into something else, there is no telling. */
function versionOf(): Promise<string> {
  return packageVersion().catch(() => 'unknown');
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
async function openHot(
  options: LaminaOptions,
  engine: Engine,
  clock: Clock,
  telemetry: Telemetry,
): Promise<HotStore | undefined> {
  if (options.redis === undefined) return undefined;
  try {
    const { openRedis } = await import('./redis.ts');
    const replaced = (): void => telemetry.hotStoreReplaced?.();
    const { redis, redisFallback = 'none' } = options;
    return await hotBeside(engine, (beneath) => openRedis(redis, redisFallback, beneath, clock, replaced));
  } catch (error) {
    if (options.engine === undefined) await engine.close();
    throw error;
  }
}

/** The same for the index. */
async function openIndex(
  { qdrant, engine: given }: LaminaOptions,
  hot: HotStore | undefined,
  engine: Engine,
): Promise<VectorIndex | undefined> {
  if (qdrant === undefined) return undefined;
  try {
    const { openQdrant } = await import('./qdrant.ts');
    return await openQdrant(qdrant);
  } catch (error) {
    await hot?.close();
    if (given === undefined) await engine.close();
    throw error;
  }
}

function addressOf({ folder, database }: LaminaOptions): string {
  if (folder !== undefined && database !== undefined) {
    throw new LaminaError('CONFIGURATION_ERROR', 'Memory lies in a folder or in a database: name one of the two.');
  }
  return database ?? `sqlite:${resolve(folder ?? DEFAULT_FOLDER)}`;
}
