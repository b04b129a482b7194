/** What memory puts before the user's message: recalled once per turn, and the same in each of its steps. */

import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { LRUCache } from 'lru-cache';
import { LaminaError } from '../domain/error.ts';
import { inTime } from '../domain/in-time.ts';
import type { TurnContextOutput } from '../domain/turn.ts';
import { DEFAULT_TIMEOUT_MS, type MemoryMiddlewareOptions } from './middleware-options.ts';
import { reportFailure } from './report-failure.ts';
import { saidIn, type Turn } from './turn-prompt.ts';
import type { ResolvedRequest } from './turn-request.ts';
import { untilAborted } from './until-aborted.ts';

/** Cached turns, and how long their tools may take. A later step recalls again. */
const MAX_TURNS = 500;
const TURN_MS = 10 * 60 * 1000;

export interface Recalled {
  /** Ends where the message begins; empty if there is nothing. */
  readonly text: string;
  readonly warnings: readonly string[];
}

type Call = Pick<LanguageModelV4CallOptions, 'prompt' | 'abortSignal'>;

const NOTHING: Recalled = { text: '', warnings: [] };

export class TurnRecall {
  readonly #options: MemoryMiddlewareOptions;
  readonly #turns = new LRUCache<string, Recalled>({ max: MAX_TURNS, ttl: TURN_MS });

  constructor(options: MemoryMiddlewareOptions) {
    this.#options = options;
  }

  /** `key` is equal for steps of the same turn only. Without memory there is a warning. Throws `FORBIDDEN` for the memory of somebody else. */
  async recall(request: ResolvedRequest, turn: Turn, key: string, call: Call): Promise<Recalled> {
    if (this.#options.recall === false || turn.text === '') return NOTHING;
    const known = turn.step > 0 ? this.#turns.get(key) : undefined;
    if (known !== undefined) return { ...known, warnings: [] };
    const recalled = await this.#ask(request, turn, call);
    this.#turns.set(key, recalled);
    return recalled;
  }

  async #ask(request: ResolvedRequest, turn: Turn, { prompt, abortSignal }: Call): Promise<Recalled> {
    const { recall, maxSensitivity, minTrust, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const { memory, agentId, sessionId, identifiers } = request;
    const { text: message } = turn;
    const bring = recall === false ? {} : recall;
    try {
      const asked = memory.turnContext({
        message,
        ...bring,
        seen: saidIn(prompt, turn),
        ...(agentId !== undefined && { agentId }),
        ...(sessionId !== undefined && { sessionId }),
        ...(identifiers !== undefined && { identifiers }),
        ...(maxSensitivity !== undefined && { maxSensitivity }),
        ...(minTrust !== undefined && { minTrust }),
      });
      const built = await inTime(untilAborted(asked, abortSignal), timeoutMs);
      const { degraded, warnings = [] } = built;
      if (degraded) reportFailure(this.#options, new LaminaError('UNAVAILABLE', warnings.join(' ')), 'recall');
      return { text: before(built, message), warnings };
    } catch (thrown) {
      const error = reportFailure(this.#options, thrown, 'recall');
      const { code, message: why } = error;
      // The principal was wrong, and will be with every call.
      if (code === 'FORBIDDEN') throw error;
      return { text: '', warnings: [`The turn goes on without memory: ${why}`] };
    }
  }
}

/** All of the prompt but the message, which stays where it is. */
function before({ prompt, context }: TurnContextOutput, message: string): string {
  return context === '' ? '' : prompt.slice(0, prompt.length - message.length);
}
