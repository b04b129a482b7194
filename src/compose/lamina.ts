/** Lamina embedded: memory in this process, on a folder, with nothing else to run. */

import { HotErasure } from '../core/admin/hot-erasure.ts';
import { IndexErasure } from '../core/admin/index-erasure.ts';
import { createCore } from '../core/create-core.ts';
import type { Dependencies } from '../core/dependencies.ts';
import type { Core } from '../core/core.ts';
import { GuardedReranker } from '../core/recall/guarded-reranker.ts';
import type { ChangingEmbedder } from '../core/spaces/changing-embedder.ts';
import { Indexer } from '../core/indexing/indexer.ts';
import { keepUp, type UpkeepOptions } from '../core/upkeep/keep-up.ts';
import type { HealthReport } from '../domain/health.ts';
import { lifecyclePolicy } from '../domain/lifecycle-policy.ts';
import { DEFAULT_LIMITS } from '../domain/limits.ts';
import { rerankPolicy } from '../domain/reranking.ts';
import { principalSchema, type Principal, type PrincipalInput } from '../domain/principal.ts';
import { DEFAULT_RANKING } from '../domain/ranking.ts';
import { quarantinePolicy } from '../domain/quarantine.ts';
import { turnPolicy } from '../domain/turn.ts';
import { umapLayout } from '../embedding/umap/umap-layout.ts';
import { followOn, invokeOn } from '../operations/invoke.ts';
import { memoryOver, type Memory } from '../operations/memory.ts';
import type { Follow, Invoke } from '../operations/table.ts';
import { validate } from '../operations/validate.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';
import { tracedStore, tracedStores } from '../telemetry/traced-store.ts';
import { healthOf } from './health.ts';
import { assertOptions, type LaminaOptions } from './lamina-options.ts';
import { changingEmbedder } from './model-in-use.ts';
import { observersOf, type Observers } from './observers.ts';
import { openStores } from './open-stores.ts';
import { packageVersion } from './package-version.ts';
import { releaseAll } from './release-all.ts';
import { systemClock, systemIds } from './system.ts';
import { vitalsOf } from './vitals.ts';

/** What is closed with it. */
interface Owned {
  readonly engine: Engine;
  readonly hot: HotStore | undefined;
  readonly indexer: Indexer | undefined;
  readonly embedder: ChangingEmbedder;
}

export class Lamina {
  readonly #dependencies: Dependencies;
  readonly #core: Core;
  readonly #owned: Owned;
  readonly #observers: Observers;

  private constructor(dependencies: Dependencies, owned: Owned, observers: Observers) {
    this.#dependencies = dependencies;
    this.#core = createCore(dependencies);
    this.#owned = owned;
    this.#observers = observers;
  }

  /** Opens the memory, creating it if it does not exist. Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`. */
  static async open(options: LaminaOptions = {}): Promise<Lamina> {
    assertOptions(options);
    const clock = options.clock ?? systemClock;
    const ids = options.ids ?? systemIds;
    const { reranking, ...policies } = policiesOf(options);
    const observers = observersOf(options);
    const { telemetry, tracing, host } = observers;
    const { engine, hot, vectors } = await openStores(options, clock, observers);
    const embedder = changingEmbedder(options, engine, observers);
    const stores = tracedStores(engine, tracing);
    const index = vectors && tracedStore('index', 'qdrant', vectors, tracing);
    const indexer = index && new Indexer({ ...stores, index, embedder, clock, ids });
    const ofStores = hot === undefined ? stores.erasure : new HotErasure(stores.erasure, hot);
    const opening: { lamina?: Lamina } = {};
    const dependencies: Dependencies = {
      ...stores,
      ...policies,
      hot: hot === undefined ? stores.state : tracedStore('hot', 'redis', hot, tracing),
      hotArchive: hot && tracedStore('hotArchive', 'redis', hot.archive, tracing),
      erasure: index === undefined ? ofStores : new IndexErasure(ofStores, index),
      indexer,
      embedder,
      clock,
      ids,
      version: versionOf,
      layout: umapLayout(),
      vitals: vitalsOf(telemetry, () => opening.lamina),
      telemetry,
      languageModel: options.languageModel,
      reranker:
        options.reranker && new GuardedReranker({ reranker: options.reranker, policy: reranking, clock, telemetry }),
    };
    host?.watch({ storageSize: () => engine.size(), load: () => engine.load?.() ?? {}, isHotStoreUp: () => hot?.isUp });
    opening.lamina = new Lamina(dependencies, { engine, hot, indexer, embedder }, observers);
    return opening.lamina;
  }

  /** Memory as this principal sees it. Throws `VALIDATION_FAILED` if the principal is invalid. */
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

  /** The principal of an API key; null if it is malformed, unknown, expired or revoked. */
  principalOfKey(key: string): Promise<Principal | null> {
    return this.#core.keys.verify(key);
  }

  /**
   * Removes expired data and runs maintenance when it is due, until the signal aborts. For the leader only: none of this
   * happens on its own.
   */
  keepUp(options: UpkeepOptions, signal: AbortSignal): Promise<void> {
    return keepUp(this.#dependencies, options, signal);
  }

  /** Whether Redis can be reached, as far as known without a round trip; undefined if it is not used. */
  get isHotStoreUp(): boolean | undefined {
    return this.#owned.hot?.isUp;
  }

  /** Whether the store can be used, whether the model answered when it was last asked. Never throws. */
  health(): Promise<HealthReport> {
    return healthOf({ ...this.#owned, reranker: this.#dependencies.reranker });
  }

  /** Flushes pending writes and releases files, threads and connections. Later calls fail. */
  async close(): Promise<void> {
    const { engine, hot, indexer, embedder } = this.#owned;
    const { languageModel, reranker } = this.#dependencies;
    this.#observers.host?.close();
    await releaseAll([languageModel, reranker, indexer, hot, engine, embedder].map((held) => () => held?.close()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** Before anything is opened: invalid options are refused. */
function policiesOf({ lifecycle, turn, quarantine, reranking, limits, ranking }: LaminaOptions) {
  return {
    lifecycle: lifecyclePolicy(lifecycle),
    turn: turnPolicy(turn),
    quarantine: quarantinePolicy(quarantine),
    reranking: rerankPolicy(reranking),
    limits: { ...DEFAULT_LIMITS, ...limits },
    ranking: { ...DEFAULT_RANKING, ...ranking },
  };
}

/** Unknown if it was bundled into something else. */
function versionOf(): Promise<string> {
  return packageVersion().catch(() => 'unknown');
}
