/**
 * Takes turns at a value within this process: those who read, compute and write back would otherwise get into each other's
 * way, and each would have to begin anew again and again.
 */

interface Turns<T> {
  /** Ends with the last of those who came so far. */
  tail: Promise<unknown>;
  waiting: number;
  /** What the one before has left there. */
  left: T | undefined;
}

export class RedisTurns<T> {
  readonly #turns = new Map<string, Turns<T>>();

  /**
   * Runs the work when everyone before it is done. It is given what the one before it knows of the value, which somebody
   * else may have changed since, and answers with its result and with what it knows.
   */
  take<R>(name: string, work: (left: T | undefined) => Promise<{ readonly result: R; readonly left: T }>): Promise<R> {
    const turns = this.#turns.get(name) ?? { tail: Promise.resolve(), waiting: 0, left: undefined };
    this.#turns.set(name, turns);
    turns.waiting += 1;
    const turn = turns.tail.then(async () => {
      const { left } = turns;
      turns.left = undefined;
      try {
        const done = await work(left);
        turns.left = done.left;
        return done.result;
      } finally {
        turns.waiting -= 1;
        if (turns.waiting === 0) this.#turns.delete(name);
      }
    });
    turns.tail = turn.catch(() => {});
    return turn;
  }
}
