/** Answers that may be there at once: waiting for a promise takes longer than reading a value that is held in memory. */

export type Awaitable<T> = T | Promise<T>;

/** Goes on with the answer: at once if it is there. */
export function afterwards<T, Next>(answer: Awaitable<T>, next: (value: T) => Next): Awaitable<Next> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}
