/** A reranker that no search waits for in vain: within a budget, left alone while it keeps failing, read by its own scale. */

import { CircuitBreaker } from '../../domain/circuit-breaker.ts';
import { LaminaError } from '../../domain/error.ts';
import { inTime } from '../../domain/in-time.ts';
import type { RerankPolicy } from '../../domain/reranking.ts';
import { askedDelay } from '../../domain/retry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Reranker } from '../../ports/reranker.ts';
import type { RerankOutcome, Telemetry } from '../../ports/telemetry.ts';
import { measureScale, signalOf, type RerankScale } from './rerank-scale.ts';

/** For measuring the scale, which no search has to wait for: a local model may only be loading. */
const MEASURING_MS = 30_000;

const WARNINGS: { readonly [outcome in Exclude<RerankOutcome, 'done'>]: string } = {
  late: 'The reranker did not answer in time; the results are ranked without it.',
  failed: 'The reranker could not be used; the results are ranked without it.',
  skipped: 'The reranker keeps failing and is left alone for now; the results are ranked without it.',
};

export interface GuardedRerankerOptions {
  readonly reranker: Reranker;
  readonly policy: RerankPolicy;
  readonly clock: Clock;
  readonly telemetry?: Pick<Telemetry, 'rerankEnded'> | undefined;
}

export class GuardedReranker {
  readonly policy: RerankPolicy;
  readonly isOutside: boolean;
  readonly #reranker: Reranker;
  readonly #telemetry: Pick<Telemetry, 'rerankEnded'> | undefined;
  readonly #breaker: CircuitBreaker;
  #scale: Promise<RerankScale> | undefined;
  #failure: string | undefined;

  constructor({ reranker, policy, clock, telemetry }: GuardedRerankerOptions) {
    this.policy = policy;
    this.isOutside = reranker.isOutside;
    this.#reranker = reranker;
    this.#telemetry = telemetry;
    this.#breaker = new CircuitBreaker('The reranker', () => clock.now());
  }

  /** What went wrong when it was last asked; undefined where nothing did. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** A signal per text, in their order; undefined where there are none to be had, which `warnings` then says. */
  async signals(query: string, texts: readonly string[], warnings: string[]): Promise<number[] | undefined> {
    const started = performance.now();
    const ended = (outcome: RerankOutcome): void =>
      this.#telemetry?.rerankEnded?.({ texts: texts.length, durationMs: performance.now() - started, outcome });
    let outcome: RerankOutcome = 'skipped';
    try {
      const signals = await this.#breaker.run(async () => {
        outcome = 'failed';
        return this.#inBudget(query, texts, () => (outcome = 'late'));
      });
      this.#failure = undefined;
      ended('done');
      return signals;
    } catch (error) {
      this.#failure = error instanceof LaminaError ? error.message : 'The reranker failed for an unexpected reason.';
      warnings.push(WARNINGS[outcome]);
      ended(outcome);
      return undefined;
    }
  }

  close(): Promise<void> {
    return this.#reranker.close();
  }

  async #inBudget(query: string, texts: readonly string[], onLate: () => void): Promise<number[]> {
    const { budgetMs } = this.policy;
    const nobodyWaits = new AbortController();
    const timer = setTimeout(() => {
      onLate();
      nobodyWaits.abort();
    }, budgetMs);
    try {
      const work = Promise.all([this.#measured(), this.#scores(query, texts, nobodyWaits.signal)]);
      const [scale, scores] = await inTime(work, budgetMs);
      return scores.map((score) => signalOf(score, scale));
    } catch (error) {
      throw counted(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Measured once; a failure is not kept. */
  #measured(): Promise<RerankScale> {
    this.#scale ??= this.#measure().catch((error: unknown) => {
      this.#scale = undefined;
      throw error;
    });
    return this.#scale;
  }

  async #measure(): Promise<RerankScale> {
    const tooLong = new AbortController();
    const timer = setTimeout(() => tooLong.abort(), MEASURING_MS).unref();
    try {
      return await measureScale((query, texts) => this.#scores(query, texts, tooLong.signal));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whatever it is, it may be wrong. */
  async #scores(query: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
    const scores = await this.#reranker.rerank(query, texts, { signal });
    if (scores.length === texts.length && scores.every(Number.isFinite)) return scores;
    throw new LaminaError('PROVIDER_ERROR', 'The reranker did not give one score for each text.');
  }
}

/**
 * As the circuit counts it: who refuses a text is alive. A wrong key or address counts, unlike elsewhere, because no search
 * should pay for it again and again.
 */
function counted(error: unknown): LaminaError {
  if (!(error instanceof LaminaError)) {
    return new LaminaError('UNAVAILABLE', 'The reranker failed for an unexpected reason.', { cause: error });
  }
  if (error.code === 'VALIDATION_FAILED') return error;
  const retryAfterMs = askedDelay(error);
  const details = retryAfterMs > 0 ? { retryAfterMs } : undefined;
  return new LaminaError('UNAVAILABLE', error.message, { ...(details && { details }), cause: error });
}
