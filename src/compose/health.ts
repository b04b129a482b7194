/** The health of what a Lamina depends on. */

import type { Indexer } from '../core/indexing/indexer.ts';
import type { ChangingEmbedder } from '../core/spaces/changing-embedder.ts';
import { asLaminaError } from '../domain/error.ts';
import type { ComponentHealth, HealthReport } from '../domain/health.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';

interface Parts {
  readonly engine: Engine;
  readonly hot: HotStore | undefined;
  readonly indexer: Indexer | undefined;
  readonly embedder: ChangingEmbedder;
  readonly reranker: LastAsked | undefined;
}

/** What is known without a check. */
interface LastAsked {
  /** Why it failed, when it was last asked. */
  readonly failure: string | undefined;
}

/** Whether the store can be used, whether the model answered when it was last asked. Never throws. */
export async function healthOf({ engine, hot, indexer, embedder, reranker }: Parts): Promise<HealthReport> {
  const started = performance.now();
  const [store, ofHot, ofIndex] = await Promise.all([
    checked(engine),
    hot && checked(hot),
    indexer && checked(indexer),
  ]);
  const components = {
    store,
    ...(ofHot && { hot: ofHot }),
    ...(ofIndex && { index: ofIndex }),
    embedder: await embedderHealth(embedder),
    ...(reranker && { reranker: asLastAsked(reranker) }),
  };
  // Without the model words can still be searched, and without Redis what was remembered; only the store is all of it.
  const isImpaired = Object.values(components).some(({ status }) => status !== 'healthy');
  const status = store.status === 'unhealthy' ? 'unhealthy' : isImpaired ? 'degraded' : 'healthy';
  return { status, latencyMs: performance.now() - started, components };
}

async function checked(component: Pick<Engine, 'check'>): Promise<ComponentHealth> {
  try {
    const message = await component.check();
    return message === undefined ? { status: 'healthy' } : { status: 'degraded', message };
  } catch (thrown) {
    return { status: 'unhealthy', message: asLaminaError(thrown).message };
  }
}

async function embedderHealth(embedder: ChangingEmbedder): Promise<ComponentHealth> {
  if (embedder.failure !== undefined) return asLastAsked(embedder);
  try {
    const message = await embedder.notice();
    return { status: 'healthy', ...(message !== undefined && { message }) };
  } catch (thrown) {
    return { status: 'degraded', message: asLaminaError(thrown).message };
  }
}

/** For components that a search can do without. */
function asLastAsked({ failure }: LastAsked): ComponentHealth {
  return failure === undefined ? { status: 'healthy' } : { status: 'degraded', message: failure };
}
