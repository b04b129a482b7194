/** The settings of the reranker. */

import { z } from 'zod';
import { SENSITIVITIES } from '../domain/kind.ts';
import {
  DEFAULT_RERANK_POLICY,
  MAX_RERANK_BUDGET_MS,
  MAX_RERANK_CANDIDATES,
  RERANK_SCHEMAS,
  type RerankPolicy,
} from '../domain/reranking.ts';
import { RERANK_SCORES, type RerankScores } from '../reranking/http/rerank-answer.ts';
import { RERANK_APIS, type RerankApi } from '../reranking/http/http-reranker.ts';
import { apiKeySetting, numberFromText, setting } from './setting.ts';

export const RERANKER_SETTINGS = {
  'reranker.url': setting({
    variable: 'LAMINA_RERANKER_URL',
    schema: z.url({ protocol: /^https?$/ }).optional(),
    accepts: 'an http:// or https:// address',
    description:
      'A reranker, such as https://api.cohere.com/v2; /rerank is added. It gets the query of every search and the best ' +
      'memories for it. Default: none.',
  }),
  'reranker.folder': setting({
    variable: 'LAMINA_RERANKER_FOLDER',
    schema: z.string().min(1).max(4096).optional(),
    accepts: 'the path of a folder with model.onnx and tokenizer.json',
    place: 'FOLDER',
    description: 'Instead of an endpoint a cross-encoder that runs on this machine. Default: none.',
  }),
  'reranker.model': setting({
    variable: 'LAMINA_RERANKER_MODEL',
    schema: z.string().min(1).max(200).optional(),
    accepts: 'the name of a model of that endpoint',
    description: 'The model that reranks. Servers that have only one need no name.',
  }),
  'reranker.apiKey': apiKeySetting('LAMINA_RERANKER_API_KEY', 'The key for that endpoint.'),
  'reranker.api': setting({
    variable: 'LAMINA_RERANKER_API',
    schema: z.enum(RERANK_APIS).default('cohere'),
    accepts: RERANK_APIS.join(' or '),
    description: 'How the endpoint is spoken to: as Cohere, Jina, Voyage and most are, or text-embeddings-inference.',
  }),
  'reranker.scores': setting({
    variable: 'LAMINA_RERANKER_SCORES',
    schema: z.enum(RERANK_SCORES).default('probability'),
    accepts: RERANK_SCORES.join(' or '),
    description: 'What its scores are: between 0 and 1, or log odds, as llama.cpp gives them.',
  }),
  'reranker.candidates': setting({
    variable: 'LAMINA_RERANKER_CANDIDATES',
    schema: RERANK_SCHEMAS.candidates.default(DEFAULT_RERANK_POLICY.candidates),
    accepts: `a whole number from 1 to ${MAX_RERANK_CANDIDATES}`,
    description: 'How many of the best memories it reads for a search; never fewer than the search is to give.',
    fromText: numberFromText,
  }),
  'reranker.budgetMs': setting({
    variable: 'LAMINA_RERANKER_BUDGET_MS',
    schema: RERANK_SCHEMAS.budgetMs.default(DEFAULT_RERANK_POLICY.budgetMs),
    accepts: `a whole number from 1 to ${MAX_RERANK_BUDGET_MS}`,
    description: 'Milliseconds that a search waits for it, and then goes on without.',
    fromText: numberFromText,
  }),
  'reranker.maxSensitivity': setting({
    variable: 'LAMINA_RERANKER_MAX_SENSITIVITY',
    schema: RERANK_SCHEMAS.maxSensitivity.default(DEFAULT_RERANK_POLICY.maxSensitivity),
    accepts: SENSITIVITIES.join(', '),
    description: 'What is more sensitive than this is never sent to it, and keeps the rank that it has without.',
  }),
} as const;

export type RerankerSettingKey = keyof typeof RERANKER_SETTINGS;

type Values = { readonly [Key in RerankerSettingKey]: z.output<(typeof RERANKER_SETTINGS)[Key]['schema']> };

/** Which reranker: one that runs on this machine, or an endpoint. */
export type RerankerSettings = { readonly folder: string } | RerankEndpointSettings;

interface RerankEndpointSettings {
  readonly url: string;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly api: RerankApi;
  readonly scores: RerankScores;
}

export interface RerankerConfiguration {
  readonly reranker: RerankerSettings | undefined;
  readonly reranking: RerankPolicy;
}

/** Of values that were checked. */
export function rerankerConfiguration(values: Values): RerankerConfiguration {
  return {
    reranker: rerankerSettings(values),
    reranking: {
      candidates: values['reranker.candidates'],
      budgetMs: values['reranker.budgetMs'],
      maxSensitivity: values['reranker.maxSensitivity'],
    },
  };
}

function rerankerSettings(values: Values): RerankerSettings | undefined {
  const [url, folder] = [values['reranker.url'], values['reranker.folder']];
  if (folder !== undefined) return { folder };
  if (url === undefined) return undefined;
  return {
    url,
    model: values['reranker.model'],
    apiKey: values['reranker.apiKey'],
    api: values['reranker.api'],
    scores: values['reranker.scores'],
  };
}

/** What does not go together: two rerankers, and a model or a key without an endpoint. */
export function checkReranker(
  values: Values,
  isBroken: (key: RerankerSettingKey) => boolean,
  refuse: (key: RerankerSettingKey, problem: string) => void,
): void {
  if (isBroken('reranker.url')) return;
  if (values['reranker.url'] !== undefined) {
    if (values['reranker.folder'] !== undefined) refuse('reranker.folder', 'is set together with LAMINA_RERANKER_URL');
    return;
  }
  const unused = (['reranker.model', 'reranker.apiKey'] as const).filter((key) => values[key] !== undefined);
  for (const key of unused) refuse(key, 'is set, but LAMINA_RERANKER_URL is not');
}
