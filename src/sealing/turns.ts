/** Work that has to wait for other work on the same thing, in this process. */

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** One after the other, in the order in which they came. */
  async take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(name, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    }
  }
}
