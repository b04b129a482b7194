/** Writing both sides of a turn down, once however often the call is repeated. */

import { LaminaError } from '../domain/error.ts';
import { inTime } from '../domain/in-time.ts';
import { DEFAULT_TIMEOUT_MS, type MemoryMiddlewareOptions } from './middleware-options.ts';
import { reportFailure } from './report-failure.ts';
import { episodeId, randomSeed } from './turn-ids.ts';
import type { Turn } from './turn-prompt.ts';
import type { ResolvedRequest } from './turn-request.ts';

/** What the model said in a step. */
export interface Spoken {
  readonly text: string;
  /** Whether it ended before its time. */
  readonly isInterrupted: boolean;
  /** Whether it will go on once its tools have answered. */
  readonly isUnfinished: boolean;
}

interface Utterance {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly ordinal: number;
  readonly isInterrupted?: boolean;
}

/** Of one step. Nothing here fails: what could not be written becomes a warning. */
export class TurnLog {
  readonly warnings: string[] = [];
  readonly #request: ResolvedRequest;
  readonly #turn: Turn;
  readonly #seed: Uint8Array;
  readonly #options: MemoryMiddlewareOptions;
  #written: Promise<void> = Promise.resolve();

  constructor(request: ResolvedRequest, turn: Turn, seed: Uint8Array, options: MemoryMiddlewareOptions) {
    this.#request = request;
    this.#turn = turn;
    this.#seed = seed;
    this.#options = options;
  }

  /** Begins to write down what the user said, while the model answers. Later steps know that it is there. */
  begin(): void {
    const { said, step } = this.#turn;
    if (step === 0 && said !== '') this.#write([this.#userSide()], false);
  }

  /** Writes down what the model said. Resolves once all is written, or the time for that is over. */
  async end({ text, isInterrupted, isUnfinished }: Spoken): Promise<void> {
    const { said, step } = this.#turn;
    if (text.trim() !== '') {
      const answer: Utterance = { role: 'assistant', content: text, ordinal: step + 1, isInterrupted };
      const isWhole = !isUnfinished && !isInterrupted && this.#options.log === 'remember';
      // The question belongs to what is made of the answer.
      this.#write(isWhole && said !== '' ? [this.#userSide(), answer] : [answer], isWhole);
    }
    const { timeoutMs = DEFAULT_TIMEOUT_MS, waitUntil } = this.#options;
    try {
      if (waitUntil === undefined) await inTime(this.#written, timeoutMs);
      else waitUntil(this.#written);
    } catch (error) {
      this.#failed(error);
    }
  }

  #userSide(): Utterance {
    return { role: 'user', content: this.#turn.said, ordinal: 0 };
  }

  /** One after the other, so that they come to stand in their order. */
  #write(utterances: readonly Utterance[], isWhole: boolean): void {
    const { log = 'episodes' } = this.#options;
    if (log === false) return;
    const write = (all: readonly Utterance[]): Promise<void> =>
      log === 'remember' ? this.#remember(all, isWhole) : this.#logAll(all);
    this.#written = this.#written
      .then(() => write(utterances))
      .catch((error: unknown) => write(shortened(utterances, error)))
      .catch((error: unknown) => this.#failed(error));
  }

  async #logAll(utterances: readonly Utterance[]): Promise<void> {
    for (const utterance of utterances) await this.#logOne(utterance, this.#seed);
  }

  async #logOne(utterance: Utterance, seed: Uint8Array): Promise<void> {
    const { memory, agentId, sessionId } = this.#request;
    const { role, content, ordinal, isInterrupted = false } = utterance;
    try {
      await memory.episodic.log({
        id: await episodeId(seed, ordinal, content),
        role,
        content,
        ...(agentId !== undefined && { agentId }),
        ...(sessionId !== undefined && { sessionId }),
        ...(isInterrupted && { metadata: { interrupted: true } }),
        source: { type: 'conversation' },
      });
    } catch (error) {
      // Another user in another conversation has the same id: a name of a session that is not unique.
      if (isCode(error, 'VERSION_CONFLICT') && seed === this.#seed) return this.#logOne(utterance, randomSeed());
      throw error;
    }
  }

  async #remember(utterances: readonly Utterance[], isWhole: boolean): Promise<void> {
    const { memory, agentId, sessionId } = this.#request;
    const messages = utterances.map(async ({ role, content, ordinal }) => ({
      role,
      content,
      id: await episodeId(this.#seed, ordinal, content),
    }));
    await memory.remember({
      messages: await Promise.all(messages),
      ...(agentId !== undefined && { agentId }),
      ...(sessionId !== undefined && { sessionId }),
      extract: isWhole,
    });
  }

  #failed(thrown: unknown): void {
    const { message } = reportFailure(this.#options, thrown, 'log');
    this.warnings.push(`The turn was not written down: ${message}`);
  }
}

function isCode(error: unknown, code: LaminaError['code']): error is LaminaError {
  return error instanceof LaminaError && error.code === code;
}

/** As much of each as may be kept. Throws the error where their length was not the matter. */
function shortened(utterances: readonly Utterance[], error: unknown): Utterance[] {
  const limit = isCode(error, 'CONTENT_TOO_LONG') ? error.details?.['limit'] : undefined;
  if (typeof limit !== 'number') throw error;
  return utterances.map((each) => ({ ...each, content: [...each.content].slice(0, limit).join('') }));
}
