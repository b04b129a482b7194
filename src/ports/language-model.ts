/** A language model, where one is configured: everything works without. */

import type { Cost } from '../domain/entry.ts';

export interface Completion {
  readonly text: string;
  /** As the provider names it, so that it can be told who wrote a text. */
  readonly model: string;
  readonly cost: Cost;
}

/** How much an answer may take. */
export interface CompletionRoom {
  /** Default: enough for a few sentences. */
  readonly outputTokens?: number | undefined;
}

export interface LanguageModel {
  /**
   * What it writes when given these instructions and this text. Throws `PROVIDER_ERROR` or `RATE_LIMITED`, within a bounded
   * time; its messages hold neither the key nor any text.
   */
  complete(instructions: string, text: string, room?: CompletionRoom): Promise<Completion>;
  /** Ends what is under way, and refuses what comes. */
  close(): Promise<void>;
}
