/** Changing the embedding model of a database, with everything opened for it as it is configured. */

import type { ModelChangeNeeds } from '../core/spaces/model-change.ts';
import { recallOverlap, type Ask, type RecallOverlap } from '../core/spaces/recall-overlap.ts';
import { sampleAskings } from '../core/spaces/sample-askings.ts';
import { isSameModel } from '../core/spaces/same-space.ts';
import { LaminaError } from '../domain/error.ts';
import { GuardedEmbedder } from '../embedding/guarded-embedder.ts';
import type { Embedder, EmbedderSettings } from '../ports/embedder.ts';
import type { Engine } from '../ports/engine.ts';
import type { UsedSpace } from '../ports/space-store.ts';
import { hostTracing } from '../telemetry/open-telemetry-tracing.ts';
import type { Configuration } from './configuration.ts';
import { embedderMaker, embedderOf } from './embedders.ts';
import { openEngine } from './engines.ts';
import { Lamina } from './lamina.ts';
import { openQdrant } from './qdrant.ts';
import { operatorEntry } from './operator-audit.ts';
import { qdrantOf } from './qdrant-options.ts';
import { replaced } from './replay.ts';
import { systemClock } from './system.ts';

/** Counting takes longer than anything that a service asks for. */
const DATABASE_TIMEOUT_MS = 15 * 60_000;

export interface OpenModelChange {
  readonly needs: ModelChangeNeeds;
  /** The model of the configuration. */
  readonly configured: Embedder;
  /** The configured one where that is meant. Throws `CONFIGURATION_ERROR` for what cannot be made here. */
  embedderFor(settings: EmbedderSettings): Embedder;
  /** How much of what a sample of searches finds is found under both. */
  overlap(before: UsedSpace, after: UsedSpace): Promise<RecallOverlap>;
  close(): Promise<void>;
}

/** Throws `CONFIGURATION_ERROR` and `UNAVAILABLE`, and then holds on to nothing. */
export async function openModelChange(configuration: Configuration): Promise<OpenModelChange> {
  const make = embedderMaker(configuration, hostTracing());
  const configured = embedderOf(configuration, hostTracing());
  const qdrant = qdrantOf(configuration);
  const index = qdrant && (await openQdrant(qdrant));
  const engine = await openEngine({ ...configuration, databaseTimeoutMs: DATABASE_TIMEOUT_MS });
  // Before anything is asked of it, neither holds on to anything.
  return modelChangeOver(engine, { configured, make, index });
}

export interface ModelChangeParts extends Pick<ModelChangeNeeds, 'index'> {
  readonly configured: Embedder;
  readonly make: (settings: EmbedderSettings) => Embedder | undefined;
}

/** Closes the engine and all embedders with it. */
export function modelChangeOver(engine: Engine, { configured, make, index }: ModelChangeParts): OpenModelChange {
  const { spaces, archive, upkeep, audit } = engine;
  const made: Embedder[] = [configured];
  const embedderFor = (settings: EmbedderSettings): Embedder => {
    const known = made.find((each) => each.settings && isSameModel(each.settings, settings));
    const embedder = known ?? make(settings);
    if (embedder === undefined) throw unknownModel(settings);
    if (known === undefined) made.push(embedder);
    return new GuardedEmbedder(embedder);
  };
  return {
    needs: {
      spaces,
      archive,
      upkeep,
      index,
      clock: systemClock,
      note: (action, model) => audit.recordBeyond(operatorEntry(action, { model })),
    },
    configured: new GuardedEmbedder(configured),
    embedderFor,
    overlap: async (before, after) => {
      const ask = ({ settings }: UsedSpace): Promise<Ask> => askBy(engine, embedderFor(settings));
      return recallOverlap(await sampleAskings(engine), await ask(before), await ask(after));
    },
    close: async () => {
      await engine.close();
      await Promise.all(made.map((each) => each.close()));
    },
  };
}

/** Nothing is counted as read, and nothing of it is its own to close. */
async function askBy(engine: Engine, embedder: Embedder): Promise<Ask> {
  const entries = replaced(engine.entries, { touch: () => {} });
  const lamina = await Lamina.open({ engine: replaced(engine, { entries }), embedder, isModelFixed: true });
  return async ({ principal, input }) => {
    const { results } = await lamina.as(principal).search(input);
    return results.map(({ memory }) => memory.id);
  };
}

function unknownModel({ provider, model }: EmbedderSettings): LaminaError {
  return new LaminaError(
    'CONFIGURATION_ERROR',
    `The model ${model ?? ''} of "${provider}" belongs to a program: only that can change it.`,
  );
}
