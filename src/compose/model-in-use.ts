/** The embedder that a Lamina is given: that of the database, guarded, counted and cached. */

import { ChangingEmbedder } from '../core/spaces/changing-embedder.ts';
import { CachedEmbedder } from '../embedding/cached-embedder.ts';
import { GuardedEmbedder } from '../embedding/guarded-embedder.ts';
import { ObservedEmbedder } from '../embedding/observed-embedder.ts';
import type { Embedder, EmbedderSettings } from '../ports/embedder.ts';
import type { Engine } from '../ports/engine.ts';
import { localEmbedder } from './embedders.ts';
import type { LaminaOptions } from './lamina-options.ts';
import type { Observers } from './observers.ts';

/** The model that the database names, which is the given one until it was changed. */
export function changingEmbedder(options: LaminaOptions, engine: Engine, observers: Observers): ChangingEmbedder {
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

/** Held to its promises and counted; cached in front of that. */
function observedEmbedder(embedder: Embedder, { telemetry, tracing }: Observers): CachedEmbedder {
  const observed = new ObservedEmbedder(new GuardedEmbedder(embedder), telemetry, tracing);
  return new CachedEmbedder(observed, { found: (texts) => telemetry.embeddingsCached?.(texts) });
}

function localOnly({ provider }: EmbedderSettings): Embedder | undefined {
  return provider === 'local' ? localEmbedder() : undefined;
}
