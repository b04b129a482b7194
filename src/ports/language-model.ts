/** A language model, if one is configured: everything works without it. */

import type { Cost } from '../domain/entry.ts';

export interface Completion {
  readonly text: string;
  /** The provider's name for it, recorded with the texts it writes. */
  readonly model: string;
  readonly cost: Cost;
}

/** The maximum length of an answer. */
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
  /** Aborts pending calls, and refuses new ones. */
  close(): Promise<void>;
}
