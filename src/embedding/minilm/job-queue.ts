/** The order in which the texts of several jobs are embedded. */

/** Texts that were asked for together; `vectors` grows until there is one for each. */
export interface Job {
  readonly id: number;
  readonly texts: readonly string[];
  readonly vectors: Float32Array<ArrayBuffer>[];
}

/**
 * Single texts come first, because somebody waits for them: a search, or one memory being added. Larger jobs take
 * turns text by text, so that a small one is not stuck behind a large one.
 */
export class JobQueue {
  readonly #single: Job[] = [];
  readonly #bulk: Job[] = [];

  /** Takes in a new job, or back one that still lacks vectors. */
  put(job: Job): void {
    (job.texts.length === 1 ? this.#single : this.#bulk).push(job);
  }

  /** The job whose next text is due; it is out of the queue until it is put back. */
  take(): Job | undefined {
    return this.#single.shift() ?? this.#bulk.shift();
  }
}
