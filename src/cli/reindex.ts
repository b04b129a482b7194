/** `lamina reindex`: changes the embedding model with no downtime, and builds the index in Qdrant anew. */

import type { OpenModelChange } from '../compose/model-change.ts';
import { LOCAL_MODEL } from '../compose/settings.ts';
import { LaminaError } from '../domain/error.ts';
import { answer } from './terminal/answer.ts';
import { counted } from './terminal/counted.ts';
import { usageError, type Command, type Given } from './command.ts';
import {
  modelText,
  MODEL_FLAGS,
  MODEL_VARIABLES,
  overlapText,
  stateJson,
  withModelChange,
  type UsedSpace,
} from './model-change.ts';
import { progressBar } from './terminal/progress-bar.ts';
import { reindexQdrant } from './reindex-qdrant.ts';
import { reindexCancel, reindexCutOver, reindexFinish, reindexRollBack, reindexStatus } from './reindex-steps.ts';

type EmbedderSettings = UsedSpace['settings'];

const EMBEDDERS = ['local', 'openai'] as const;

export const reindex: Command = {
  name: 'reindex',
  summary: 'Change the embedding model with no downtime; build the index in Qdrant anew.',
  flags: [
    { name: 'model', value: 'NAME', description: 'The new model; the same again goes on where it stopped' },
    {
      name: 'embedder',
      value: 'NAME',
      choices: EMBEDDERS,
      description: 'Who runs it',
      fallback: `local for ${LOCAL_MODEL}, else openai`,
    },
    { name: 'base-url', value: 'URL', description: 'Its endpoint', fallback: 'LAMINA_OPENAI_BASE_URL' },
    { name: 'dimensions', value: 'N', description: 'For models that can do with fewer', fallback: 'all' },
    ...MODEL_FLAGS,
  ],
  variables: MODEL_VARIABLES,
  examples: [
    {
      line: 'lamina reindex --model text-embedding-3-large',
      does: 'Fills a second space, while the first one answers.',
    },
    { line: 'lamina reindex cut-over', does: 'Then searches use the new model.' },
    { line: 'lamina reindex roll-back', does: 'And the former one again.' },
    { line: 'lamina reindex finish', does: 'Removes the vectors of the former model.' },
    { line: `lamina reindex --model ${LOCAL_MODEL}`, does: 'Back to the local model.' },
  ],
  notes: [
    [
      'From a second after it began, every process on the database embeds what is written with both models; this command',
      'embeds what was there before. It can be stopped at any time, and goes on where it was. Nothing changes for searches',
      'until lamina reindex cut-over, and that can be taken back until lamina reindex finish.',
    ].join('\n'),
    [
      'Keys are not written down. Where the new model has another endpoint than LAMINA_OPENAI_BASE_URL, every process needs',
      'its key as LAMINA_OTHER_API_KEY. Where the model is the one in use, memories that lack a vector are given one.',
    ].join('\n'),
  ].join('\n\n'),
  commands: [reindexStatus, reindexCutOver, reindexRollBack, reindexFinish, reindexCancel, reindexQdrant],
  run: async (given) => {
    const settings = settingsOf(given);
    return withModelChange(given, (change) => fill(given, change, settings));
  },
};

function settingsOf(given: Given): EmbedderSettings {
  const model = given.value('model');
  if (model === undefined) {
    throw usageError('--model is missing. To build the index in Qdrant anew: lamina reindex qdrant.', given.command);
  }
  const provider = given.value('embedder') ?? (model === LOCAL_MODEL ? 'local' : 'openai');
  if (provider === 'local') {
    if (model === LOCAL_MODEL && !given.has('base-url') && !given.has('dimensions')) return { provider };
    throw usageError(
      `The local model is ${LOCAL_MODEL}, and has no endpoint and one number of dimensions.`,
      given.command,
    );
  }
  const baseUrl = given.value('base-url');
  // What follows is kept in the database, where no key belongs.
  if (baseUrl?.includes('?') === true)
    throw usageError('--base-url accepts an address without a query.', given.command);
  const dimensions = dimensionsOf(given);
  return {
    provider,
    model,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(dimensions !== undefined && { dimensions }),
  };
}

function dimensionsOf(given: Given): number | undefined {
  const text = given.value('dimensions');
  if (text === undefined) return undefined;
  const dimensions = Number(text);
  if (Number.isInteger(dimensions) && dimensions >= 2 && dimensions <= 16_000) return dimensions;
  throw usageError('--dimensions accepts a whole number from 2 to 16000.', given.command);
}

/** Which endpoint it was that failed: its name and password are nobody's business. */
function atEndpoint(error: unknown, baseUrl: string | undefined): unknown {
  const isOfEndpoint = error instanceof LaminaError && error.code === 'EMBEDDING_FAILED';
  if (!isOfEndpoint || baseUrl === undefined || !URL.canParse(baseUrl)) return error;
  const { origin, pathname } = new URL(baseUrl);
  const { message, details, cause } = error;
  return new LaminaError('EMBEDDING_FAILED', `${message} The endpoint is ${origin}${pathname}.`, {
    ...(details && { details }),
    advice: 'Check --base-url (LAMINA_OPENAI_BASE_URL) and that something answers there.',
    cause,
  });
}

async function fill(given: Given, change: OpenModelChange, settings: EmbedderSettings): Promise<number> {
  const { beginModelChange, fillForModel } = await import('../core/spaces/model-change.ts');
  const { needs, configured } = change;
  const target = change.embedderFor(settings);
  const state = await beginModelChange(needs, configured, target).catch((error: unknown) => {
    throw atEndpoint(error, target.settings?.baseUrl);
  });
  const space = await target.space();
  const bar = progressBar(given);
  let filled: number;
  try {
    const label = `with ${space.model}`;
    filled = await fillForModel(needs, target, {
      signal: given.signal,
      progress: ({ done, total }) => bar.show({ done, total, label }),
    });
  } finally {
    bar.clear();
  }
  const name = modelText({ space });
  if (state?.phase !== 'filling' || state.other === undefined) {
    return answer(
      given,
      { ...stateJson(state), filled },
      () => `${name} is in use. ${counted(filled, 'memory', 'memories')} lacked a vector.`,
    );
  }
  const overlap = await change.overlap(state.active, state.other);
  return answer(given, { ...stateJson(state), filled, missing: 0, ...overlap }, () =>
    [
      `Every memory has a vector of ${name}; ${filled} were embedded now. Searches still use ${modelText(state.active)}.`,
      overlapText(overlap),
      'Next: lamina reindex cut-over',
    ].join('\n'),
  );
}
