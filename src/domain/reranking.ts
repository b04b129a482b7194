/** How a reranker is used, if there is one: how many memories it reads, its timeout, and what it may see. */

import { z } from 'zod';
import { LaminaError } from './error.ts';
import { SENSITIVITIES, type Sensitivity } from './kind.ts';

/** The most that a search can return. */
export const MAX_RERANK_CANDIDATES = 100;
export const MAX_RERANK_BUDGET_MS = 60_000;

export interface RerankPolicy {
  /** How many of the best memories it reads; at least the limit of the search. */
  readonly candidates: number;
  /** Timeout in milliseconds, after which a search continues without it. */
  readonly budgetMs: number;
  /** More sensitive memories are not sent to a reranker outside of this process. */
  readonly maxSensitivity: Sensitivity;
}

export const DEFAULT_RERANK_POLICY: RerankPolicy = { candidates: 30, budgetMs: 500, maxSensitivity: 'internal' };

export const RERANK_SCHEMAS = {
  candidates: z.int().min(1).max(MAX_RERANK_CANDIDATES),
  budgetMs: z.int().min(1).max(MAX_RERANK_BUDGET_MS),
  maxSensitivity: z.enum(SENSITIVITIES),
};

const policySchema = z.strictObject(RERANK_SCHEMAS);

/** With defaults for omitted fields. Throws `CONFIGURATION_ERROR`. */
export function rerankPolicy(
  options: { readonly [Key in keyof RerankPolicy]?: RerankPolicy[Key] | undefined } = {},
): RerankPolicy {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const parsed = policySchema.safeParse({ ...DEFAULT_RERANK_POLICY, ...Object.fromEntries(given) });
  if (parsed.success) return parsed.data;
  const [problem] = parsed.error.issues;
  throw new LaminaError(
    'CONFIGURATION_ERROR',
    `reranking.${problem?.path.join('.') ?? ''} cannot be used: ${problem?.message ?? 'it is wrong'}.`,
  );
}
