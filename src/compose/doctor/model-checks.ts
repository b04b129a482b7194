/** Whether the models that are configured answer, and the embedding model is the one that the data was embedded with. */

import { isSameSpace, modelName } from '../../core/spaces/same-space.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { SpacesInUse } from '../../ports/space-store.ts';
import { hostTracing } from '../../telemetry/open-telemetry-tracing.ts';
import { languageModelOf } from '../language-models.ts';
import { rerankerOf } from '../rerankers.ts';
import { ok, problem, warning, type Check, type Finding } from './check.ts';
import { reached } from './database-checks.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

const PROBE = 'The quick brown fox jumps over the lazy dog.';

const ANSWER_MS = 10_000;

const model: Check<World> = {
  name: 'model',
  group: 'Models',
  looksAt: 'Whether the embedding model in use loads and embeds, and in how many dimensions',
  async run(world) {
    const state = await stateOf(world);
    try {
      const embedder = world.embedder(state?.active.settings);
      const started = performance.now();
      const [vector] = await embedder.embed([PROBE]);
      const space = state?.active.space ?? (await embedder.space());
      const tookMs = Math.round(performance.now() - started);
      if (vector?.length !== space.dimensions) {
        const told = `The model answers with ${vector?.length ?? 0} dimensions, and ${modelName({ space })} is expected.`;
        return [problem(told, 'Have the endpoint serve the model that the data was embedded with.')];
      }
      return [...world.fallbacks.map(slower), ok(`${modelName({ space })} embeds; the first time took ${tookMs} ms.`)];
    } catch (error) {
      const told = `The embedding model cannot be used: writes fail, and searches go by words alone. ${reasonOf(error)}`;
      return [problem(told, modelFix(world))];
    }
  },
};

function slower(reason: string): Finding {
  const fix =
    'Install again for this machine: npm install onnxruntime-node. Until then embedding takes several times as long.';
  return warning(`The embedding model does not run as fast as it could: ${reason}`, fix);
}

function modelFix({ configuration: { embeddings } }: World): string {
  return embeddings === 'local'
    ? 'Install again: remove node_modules and npm install. Or use an endpoint: LAMINA_EMBEDDINGS=openai'
    : 'Check LAMINA_OPENAI_BASE_URL, LAMINA_OPENAI_API_KEY and LAMINA_EMBEDDING_MODEL, and that the endpoint answers.';
}

async function stateOf(world: World): Promise<SpacesInUse | undefined> {
  return (await reached(world))?.spaces();
}

const spaces: Check<World> = {
  name: 'embedding-space',
  group: 'Models',
  looksAt: 'Whether the configured model is the one that the database uses, and a change of model that is under way',
  isFor: async (world) => (await reached(world)) !== undefined,
  async run(world) {
    const checkup = await reached(world);
    if (checkup === undefined) return [];
    const [state, configured] = [await checkup.spaces(), await world.embedder().space()];
    return state ? changedModel(state, configured) : neverChanged(await checkup.filledSpaces(), configured);
  },
};

function changedModel({ phase, active, other }: SpacesInUse, configured: EmbeddingSpace): Finding[] {
  const findings: Finding[] = [];
  if (!isSameSpace(active.space, configured)) {
    const { provider, model: name } = active.settings;
    const settings = [
      `LAMINA_EMBEDDINGS=${provider}`,
      ...(name === undefined ? [] : [`LAMINA_EMBEDDING_MODEL=${name}`]),
    ];
    const told = `The database uses ${modelName(active)}, and the configuration names ${modelName({ space: configured })}.`;
    findings.push(warning(`${told} The database decides.`, `Configure the same: ${settings.join(' ')}`));
  }
  if (other !== undefined && phase !== 'settled') {
    const told = `The embedding model is being changed (${phase.replace('_', ' ')}): ${modelName(other)} beside ${modelName(active)}.`;
    findings.push(warning(`${told} Each write embeds twice.`, 'See what is next: lamina reindex status'));
  }
  return findings.length > 0 ? findings : [ok(`The database and the configuration name ${modelName(active)}.`)];
}

function neverChanged(filled: readonly EmbeddingSpace[], configured: EmbeddingSpace): Finding[] {
  const named = modelName({ space: configured });
  if (filled.length === 0 || filled.some((space) => isSameSpace(space, configured))) {
    return [ok(`The model is the configured one, ${named}.`)];
  }
  const there = filled.map((space) => modelName({ space })).join(' and ');
  const told = `Memories have vectors of ${there}, and the configuration names ${named}: nothing is found by meaning.`;
  const fix =
    'Configure the former model again; to change it for good run lamina reindex --model (docs/reindexing.md).';
  return [problem(told, fix)];
}

const reranker: Check<World> = {
  name: 'reranker',
  group: 'Models',
  looksAt: 'Whether the reranker answers, where one is configured',
  isFor: ({ configuration }) => configuration.reranker !== undefined,
  async run({ configuration }) {
    const made = rerankerOf(configuration.reranker, hostTracing());
    if (made === undefined) return [];
    try {
      await made.rerank(PROBE, [PROBE], { signal: AbortSignal.timeout(ANSWER_MS) });
      return [ok('The reranker answers.')];
    } catch (error) {
      const told = `The reranker does not answer, and searches go on without it. ${reasonOf(error)}`;
      return [warning(told, 'Check the settings LAMINA_RERANKER_…, or unset them.')];
    } finally {
      await made.close();
    }
  },
};

const language: Check<World> = {
  name: 'language-model',
  group: 'Models',
  looksAt: 'Whether the language model answers, where one is configured',
  isFor: ({ configuration }) => configuration.languageModel !== undefined,
  async run({ configuration }) {
    const made = languageModelOf(configuration.languageModel);
    if (made === undefined) return [];
    try {
      await made.complete('Answer with one word.', PROBE, { outputTokens: 16 });
      return [ok('The language model answers.')];
    } catch (error) {
      const told = `The language model does not answer: nothing is extracted or distilled. ${reasonOf(error)}`;
      return [warning(told, 'Check the settings LAMINA_LANGUAGE_MODEL…, or unset them.')];
    } finally {
      await made.close();
    }
  },
};

export const MODEL_CHECKS: readonly Check<World>[] = [model, spaces, reranker, language];
