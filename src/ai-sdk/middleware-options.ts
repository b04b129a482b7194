/** What can be said about memory around a model. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { LaminaError } from '../domain/error.ts';
import type { Sensitivity, Trust } from '../domain/kind.ts';
import type { TurnContextInput } from '../domain/turn.ts';
import type { TurnRequest } from './turn-request.ts';

/** What to bring along for a turn; see the operation `turnContext`. */
export type RecallOptions = Partial<
  Pick<
    TurnContextInput,
    'layers' | 'kinds' | 'tokenBudget' | 'limit' | 'threshold' | 'recentTurns' | 'working' | 'procedures' | 'facts'
  >
>;

/** What of memory failed. */
export type Stage = 'recall' | 'log';

export interface MemoryMiddlewareOptions {
  /** The agent that speaks. Episodes are logged under it; without it the principal must name one. */
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Further layers to recall from, such as `{ projectId }`. */
  readonly identifiers?: TurnRequest['identifiers'];
  /** The most sensitive of what the model may be shown. Default: as configured. */
  readonly maxSensitivity?: Sensitivity | undefined;
  /** What is less trusted is not shown. Default: as configured; what tools and others wrote is marked. */
  readonly minTrust?: Trust | undefined;
  /** What is put before the user's message; false for nothing. */
  readonly recall?: RecallOptions | false;
  /**
   * How both sides of the turn are kept. `episodes`, the default: as they are. `remember`: also what a language model makes
   * of them, where Lamina has one. False: not at all.
   */
  readonly log?: 'episodes' | 'remember' | false;
  /** Says of a call for whom it is made. Counts more than its `providerOptions.lamina`. */
  readonly request?: (params: LanguageModelV4CallOptions) => TurnRequest | Promise<TurnRequest>;
  /** How long a call waits for memory at most, before it and after it. Default 5 seconds. */
  readonly timeoutMs?: number;
  /** Takes over the writing that a call would otherwise wait for, as the function of this name of some hosts does. */
  readonly waitUntil?: (work: Promise<void>) => void;
  /** Told what failed. The call itself goes on, with a warning. */
  readonly onFailure?: (error: LaminaError, stage: Stage) => void;
}

export const DEFAULT_TIMEOUT_MS = 5000;
