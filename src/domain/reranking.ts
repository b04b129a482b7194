/** How a reranker is used, where there is one: how much it is asked, how long it may take, and what it may see. */

import { z } from 'zod';
import { LaminaError } from './error.ts';
import { SENSITIVITIES, type Sensitivity } from './kind.ts';

/** As many as a search can give. */
export const MAX_RERANK_CANDIDATES = 100;
export const MAX_RERANK_BUDGET_MS = 60_000;

export interface RerankPolicy {
  /** How many of the best memories it reads; as many as the search is to give, where those are more. */
  readonly candidates: number;
  /** Milliseconds after which a search goes on without it. */
  readonly budgetMs: number;
  /** What is more sensitive than this is not shown to a reranker outside of this process. */
  readonly maxSensitivity: Sensitivity;
}

export const DEFAULT_RERANK_POLICY: RerankPolicy = { candidates: 30, budgetMs: 500, maxSensitivity: 'internal' };

export const RERANK_SCHEMAS = {
  candidates: z.int().min(1).max(MAX_RERANK_CANDIDATES),
  budgetMs: z.int().min(1).max(MAX_RERANK_BUDGET_MS),
  maxSensitivity: z.enum(SENSITIVITIES),
};

const policySchema = z.strictObject(RERANK_SCHEMAS);

/** With the defaults for what is not said. Throws `CONFIGURATION_ERROR`. */
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
