/** Answers that may be there at once: waiting for a promise takes longer than reading a value that is held in memory. */

export type Awaitable<T> = T | Promise<T>;

/** What becomes of an answer: at once if it is there. */
export function afterwards<T, Made>(answer: Awaitable<T>, make: (value: T) => Made): Awaitable<Made> {
  return answer instanceof Promise ? answer.then(make) : make(answer);
}
