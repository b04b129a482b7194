/** The seeds for the ids of a turn: the same for its steps and its repetition, and for no other turn. */

import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { LRUCache } from 'lru-cache';
import { randomSeed, seedKey } from './turn-ids.ts';
import type { Turn } from './turn-prompt.ts';
import type { TurnRequest } from './turn-request.ts';

const MAX_TURNS = 500;
const TURN_MS = 10 * 60 * 1000;

/**
 * A turn that has an id, or a conversation before it in a session that has one, is known anywhere. Of any other the same words
 * may be said again, and mean another turn: it is known by the very prompt, which the AI SDK sends when it tries again, and
 * within its session for as long as it has not been answered. To store twice is better than to lose.
 */
export class TurnSeeds {
  readonly #prompts = new WeakMap<LanguageModelV4Prompt, Uint8Array>();
  readonly #turns = new LRUCache<string, Uint8Array>({ max: MAX_TURNS, ttl: TURN_MS });
  readonly #unanswered = new LRUCache<string, Uint8Array>({ max: MAX_TURNS, ttl: TURN_MS });

  /** `named` is of what the request and the conversation say. */
  of(prompt: LanguageModelV4Prompt, turn: Turn, request: TurnRequest, named: Uint8Array): Uint8Array {
    if (request.turnId !== undefined || (request.sessionId !== undefined && turn.hasHistory)) return named;
    const key = seedKey(named);
    const before = turn.step > 0 ? this.#turns.get(key) : this.#unanswered.get(key);
    const seed = this.#prompts.get(prompt) ?? before ?? randomSeed();
    this.#prompts.set(prompt, seed);
    this.#turns.set(key, seed);
    return seed;
  }

  /** Called with how the first step of a turn ended. */
  ended(seed: Uint8Array, { sessionId }: TurnRequest, named: Uint8Array, isAnswered: boolean): void {
    const key = seedKey(named);
    if (isAnswered) this.#unanswered.delete(key);
    else if (sessionId !== undefined) this.#unanswered.set(key, seed);
  }
}
