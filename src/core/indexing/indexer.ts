/**
 * Keeps an index beside the store up to date, soon after every write of this process, and gives searches what the index
 * does not have yet.
 */

import type { Partition } from '../../domain/access.ts';
import { CircuitBreaker, type CircuitPolicy } from '../../domain/circuit-breaker.ts';
import { asLaminaError, type LaminaError } from '../../domain/error.ts';
import { pause } from '../../domain/pause.ts';
import { DEFAULT_RETRY_POLICY, retryDelay, type RetryPolicy } from '../../domain/retry.ts';
import type { EmbeddingSpace } from '../../ports/embedder.ts';
import type { Embedding, Nearest } from '../../ports/entry-store.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';
import { catchUp } from './catch-up.ts';
import type { IndexNeeds } from './index-needs.ts';
import { Positions } from './positions.ts';
import { synchronise } from './synchronise.ts';

/** Writes that come together are indexed together. */
const GATHERING_MS = 50;

/** How long pending work may take to finish on close. */
const CLOSING_MS = 2000;

/** What may have happened since, for a search to look it up one by one. Of more the store's own index knows more. */
const MAX_CHANGES = 1000;

/** Retry interval while the index cannot be reached and has work pending. */
const PATIENCE: RetryPolicy = { ...DEFAULT_RETRY_POLICY, initialDelayMs: 500 };

/** No search waits for an index that has just failed. */
const LEFT_ALONE: CircuitPolicy = { failureThreshold: 1, pauseMs: 1000, maxPauseMs: 15_000 };

/** Why a search cannot use the index. */
export interface Unusable {
  readonly warning: string | undefined;
}

const REBUILDING = 'The vector index is being built; the store compared vectors itself.';
const BEHIND = 'The vector index is behind; the store compared vectors itself.';

export class Indexer {
  readonly #needs: IndexNeeds;
  readonly #positions: Positions;
  readonly #due = new Set<string>();
  readonly #closing = new AbortController();
  readonly #stopWatching: () => void;
  #breaker: CircuitBreaker;
  #work: Promise<void> | undefined;
  #failure: string | undefined;

  constructor(needs: IndexNeeds) {
    this.#needs = needs;
    this.#positions = new Positions(needs.clock);
    this.#breaker = this.#newBreaker();
    this.#stopWatching = needs.events.watchAll((tenantId) => this.note(tenantId));
  }

  /** There may be something to index. Returns at once. */
  note(tenantId: string): void {
    if (this.#closing.signal.aborted) return;
    this.#due.add(tenantId);
    this.#work ??= this.#workOff().finally(() => {
      this.#work = undefined;
      // Noted when the work had just come to its end.
      for (const late of this.#due) this.note(late);
    });
  }

  /** Brings the index up to date, or builds it. Throws `UNAVAILABLE`, at once if it has just failed. */
  async catchUp(tenantId: string, signal: AbortSignal): Promise<void> {
    await this.#ask((index) => index.check());
    await this.#tell(tenantId, signal);
  }

  /** Tells the index of entries that came without events: those that were imported. Throws `UNAVAILABLE`. */
  async tellOf(tenantId: string, ids: readonly string[]): Promise<void> {
    const space = await this.#needs.embedder.space();
    await this.#ask(() => synchronise(this.#needs, space, tenantId, ids));
  }

  async #tell(tenantId: string, signal: AbortSignal): Promise<void> {
    const space = await this.#needs.embedder.space();
    const position = await catchUp(this.#needs, space, tenantId, signal);
    if (position === undefined) this.#positions.forget(space, tenantId);
    else this.#positions.note(space, tenantId, position);
    if (this.#breaker.status !== 'closed') this.#breaker = this.#newBreaker();
  }

  /**
   * For searches, before they ask the index: what has happened since it was last told. What was acknowledged until now is here,
   * if it is not in the index. Or why it is of no use. Throws `UNAVAILABLE`, at once where it has just failed.
   */
  async untold(space: EmbeddingSpace, tenantId: string): Promise<readonly string[] | Unusable> {
    // The known position may be old: check again.
    for (let look = 0; look < 2; look += 1) {
      const progress = await this.#positions.find(space, tenantId, () =>
        this.#ask((index) => index.progress(space, tenantId)),
      );
      if (progress?.rebuild !== undefined || progress?.position === undefined) {
        this.note(tenantId);
        // A small index is built before anybody notices.
        return { warning: progress?.rebuild && REBUILDING };
      }
      const changes = await this.#needs.upkeep.changes(tenantId, progress.position, MAX_CHANGES);
      if (changes === undefined) return this.#outdated(space, tenantId);
      const { items, position } = changes;
      if (items.length === 0) this.#positions.note(space, tenantId, position);
      else this.note(tenantId);
      if (items.length < MAX_CHANGES) return items.map(({ memoryId }) => memoryId);
      this.#positions.forget(space, tenantId);
    }
    return { warning: BEHIND };
  }

  /** What the log has forgotten meanwhile only building it anew can tell. */
  #outdated(space: EmbeddingSpace, tenantId: string): Unusable {
    this.#positions.forget(space, tenantId);
    this.note(tenantId);
    return { warning: REBUILDING };
  }

  /** As the index answers. Throws `UNAVAILABLE`, at once where it has just failed. */
  async nearest(
    { space, vector }: Embedding,
    tenantId: string,
    partitions: readonly Partition[],
    limit: number,
  ): Promise<Nearest[]> {
    try {
      return await this.#ask((index) => index.nearest(space, tenantId, partitions, vector, limit));
    } catch (error) {
      // It may be gone, or another one.
      this.#positions.forget(space, tenantId);
      this.note(tenantId);
      throw error;
    }
  }

  /** Throws `UNAVAILABLE` when the index cannot be used. Says so where it could not be told something. */
  async check(): Promise<string | undefined> {
    const trouble = await this.#needs.index.check();
    return trouble ?? (this.#due.size > 0 ? this.#failure : undefined);
  }

  /** Leaves pending work to the next process: the event log keeps it. */
  async close(): Promise<void> {
    this.#stopWatching();
    this.#closing.abort();
    if (this.#work === undefined) return;
    const ended = new AbortController();
    // Not for an index that does not answer.
    await Promise.race([this.#work.finally(() => ended.abort()), pause(CLOSING_MS, ended.signal)]);
  }

  #ask<T>(question: (index: VectorIndex) => Promise<T>): Promise<T> {
    return this.#breaker.run(() => question(this.#needs.index));
  }

  async #workOff(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    for (let wait = GATHERING_MS; this.#due.size > 0;) {
      await pause(wait, signal);
      if (signal.aborted) return;
      this.#failure = await this.#round(signal);
      failures = this.#failure === undefined ? 0 : failures + 1;
      wait = failures === 0 ? GATHERING_MS : retryDelay(PATIENCE, failures);
    }
  }

  /** What failed stays due. Why, of the last that failed. */
  async #round(signal: AbortSignal): Promise<string | undefined> {
    const failed: string[] = [];
    let failure: LaminaError | undefined;
    for (const tenantId of this.#due) {
      // If it cannot be reached, the others would fail too.
      if (signal.aborted || failure?.code === 'UNAVAILABLE') break;
      this.#due.delete(tenantId);
      try {
        if (!(await this.#isTold(tenantId))) await this.#tell(tenantId, signal);
      } catch (error) {
        failed.push(tenantId);
        failure = asLaminaError(error);
      }
    }
    for (const tenantId of failed) this.#due.add(tenantId);
    return failure?.message;
  }

  /** Much is written that is no memory: then the index has nothing to hear. */
  async #isTold(tenantId: string): Promise<boolean> {
    const position = this.#positions.known(await this.#needs.embedder.space(), tenantId);
    return position !== undefined && (await this.#needs.upkeep.changes(tenantId, position, 1))?.items.length === 0;
  }

  #newBreaker(): CircuitBreaker {
    return new CircuitBreaker('The vector index', () => this.#needs.clock.now(), LEFT_ALONE);
  }
}
