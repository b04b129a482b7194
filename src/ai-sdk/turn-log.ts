/** Logging both sides of a turn, once however often the call is repeated. */

import { LaminaError } from '../domain/error.ts';
import { hasText } from '../domain/has-text.ts';
import { inTime } from '../domain/in-time.ts';
import { DEFAULT_TIMEOUT_MS, type MemoryMiddlewareOptions } from './middleware-options.ts';
import { reportFailure } from './report-failure.ts';
import { episodeId, nextSeed } from './turn-ids.ts';
import type { Turn } from './turn-prompt.ts';
import type { ResolvedRequest } from './turn-request.ts';

/** How many users may have the same names for their sessions, and say the same words in them. */
const MAX_SEEDS = 20;

const NO_AGENT =
  'The turn was not written down, since nobody said which agent spoke: give memoryMiddleware an agentId, or name it in the ' +
  'principal, as in lamina.as({ userId, agentId }). With log: false nothing is written down.';

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

/** For one step. Nothing here fails: a failed write becomes a warning. */
export class TurnLog {
  readonly warnings: string[] = [];
  readonly #request: ResolvedRequest;
  readonly #turn: Turn;
  /** The seed of the ids. */
  #seed: Uint8Array;
  readonly #options: MemoryMiddlewareOptions;
  #written: Promise<void> = Promise.resolve();

  constructor(request: ResolvedRequest, turn: Turn, seed: Uint8Array, options: MemoryMiddlewareOptions) {
    this.#request = request;
    this.#turn = turn;
    this.#seed = seed;
    this.#options = options;
  }

  /** Starts to log what the user said, while the model answers. Later steps know that it is logged. */
  begin(): void {
    const { said, step } = this.#turn;
    if (step === 0 && said !== '') this.#write([this.#userSide()], false);
  }

  /** Logs what the model said. Resolves once everything is written, or on timeout. */
  async end({ text, isInterrupted, isUnfinished }: Spoken): Promise<void> {
    const { said, step } = this.#turn;
    if (hasText(text)) {
      const answer: Utterance = { role: 'assistant', content: text, ordinal: step + 1, isInterrupted };
      const isWhole = !isUnfinished && !isInterrupted && this.#options.log === 'remember';
      // The question belongs to what is made of the answer.
      this.#write(isWhole && said !== '' ? [this.#userSide(), answer] : [answer], isWhole);
    }
    if (this.#isTakenOver()) return;
    try {
      await inTime(this.#written, this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** If that fails, the call waits as it would without it. */
  #isTakenOver(): boolean {
    const { waitUntil } = this.#options;
    try {
      waitUntil?.(this.#written);
      return waitUntil !== undefined;
    } catch (cause) {
      const why = 'The waitUntil of memoryMiddleware failed, so the call waited until the turn was written down.';
      reportFailure(this.#options, new LaminaError('CONFIGURATION_ERROR', why, { cause }), 'log');
      this.warnings.push(why);
      return false;
    }
  }

  #userSide(): Utterance {
    return { role: 'user', content: this.#turn.said, ordinal: 0 };
  }

  /** Sequentially, so that they keep their order. */
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
    for (const utterance of utterances) await this.#logOne(utterance);
  }

  async #logOne(utterance: Utterance, seed: Uint8Array = this.#seed, left: number = MAX_SEEDS): Promise<void> {
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
      // Both sides have the same time, so that they list in order.
      this.#seed = seed;
    } catch (error) {
      if (!isCode(error, 'VERSION_CONFLICT') || left === 0) throw error;
      // Another user in another conversation has the same id: a name of a session that is not unique. The next one follows
      // from it, so that a call that is repeated comes to it again.
      return this.#logOne(utterance, await nextSeed(seed), left - 1);
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
    const isNobody = isCode(thrown, 'MISSING_IDENTIFIER');
    // It is the same for either side of the turn.
    if (isNobody && this.warnings.includes(NO_AGENT)) return;
    const error = isNobody ? new LaminaError('MISSING_IDENTIFIER', NO_AGENT, { cause: thrown }) : thrown;
    const { message } = reportFailure(this.#options, error, 'log');
    this.warnings.push(isNobody ? NO_AGENT : `The turn was not written down: ${message}`);
  }
}

function isCode(error: unknown, code: LaminaError['code']): error is LaminaError {
  return error instanceof LaminaError && error.code === code;
}

/** Truncated to the maximum length. Rethrows the error if length was not the problem. */
function shortened(utterances: readonly Utterance[], error: unknown): Utterance[] {
  const limit = isCode(error, 'CONTENT_TOO_LONG') ? error.details?.['limit'] : undefined;
  if (typeof limit !== 'number') throw error;
  return utterances.map((each) => ({ ...each, content: [...each.content].slice(0, limit).join('') }));
}
