/** The order in which the parts of several jobs are done. */

/**
 * Single texts come first, because somebody waits for them: a search, or one memory being added. Larger jobs take
 * turns part by part, so that a small one is not stuck behind a large one.
 */
export class JobQueue<Job extends { readonly texts: readonly string[] }> {
  readonly #single: Job[] = [];
  readonly #bulk: Job[] = [];

  /** Takes in a new job, or back one that is not finished. */
  put(job: Job): void {
    (job.texts.length === 1 ? this.#single : this.#bulk).push(job);
  }

  /** The job whose next part is due; it is out of the queue until it is put back. */
  take(): Job | undefined {
    return this.#single.shift() ?? this.#bulk.shift();
  }
}
