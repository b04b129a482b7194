/** Options of memory around a model. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { LaminaError } from '../domain/error.ts';
import type { Sensitivity, Trust } from '../domain/kind.ts';
import type { TurnContextInput } from '../domain/turn.ts';
import type { TurnRequest } from './turn-request.ts';

/** What to recall for a turn; see the operation `turnContext`. */
export type RecallOptions = Partial<
  Pick<
    TurnContextInput,
    'layers' | 'kinds' | 'tokenBudget' | 'limit' | 'threshold' | 'recentTurns' | 'working' | 'procedures' | 'facts'
  >
>;

/** Which part of memory failed. */
export type Stage = 'recall' | 'log';

export interface MemoryMiddlewareOptions {
  /** The agent that speaks. Episodes are logged under it; without it the principal must name one. */
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Further layers to recall from, such as `{ projectId }`. */
  readonly identifiers?: TurnRequest['identifiers'];
  /** The highest sensitivity that the model may see. Default: as configured. */
  readonly maxSensitivity?: Sensitivity | undefined;
  /** Less trusted text is not shown. Default: as configured; text from tools and outside is marked. */
  readonly minTrust?: Trust | undefined;
  /** What is put before the user's message; false for nothing. */
  readonly recall?: RecallOptions | false;
  /**
   * How both sides of the turn are stored. `episodes`, the default: verbatim. `remember`: also what a language model
   * extracts from them, if Lamina has one. False: not at all.
   */
  readonly log?: 'episodes' | 'remember' | false;
  /** Returns whose call it is. Takes precedence over its `providerOptions.lamina`. */
  readonly request?: (params: LanguageModelV4CallOptions) => TurnRequest | Promise<TurnRequest>;
  /** The longest that a call waits for memory, before and after the model. Default 5 seconds. */
  readonly timeoutMs?: number;
  /** Takes over the writes that a call would otherwise wait for, like the function of this name on some hosts. */
  readonly waitUntil?: (work: Promise<void>) => void;
  /** Called with what failed. The call itself continues, with a warning. */
  readonly onFailure?: (error: LaminaError, stage: Stage) => void;
}

export const DEFAULT_TIMEOUT_MS = 5000;
