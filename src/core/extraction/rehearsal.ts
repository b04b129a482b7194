/** Dry runs: the work runs in a transaction that is then rolled back, so that the answer is what would happen. */

/** Thrown where a transaction would end, so that it leaves nothing behind. */
class Rehearsed extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('This was a dry run.');
    this.result = result;
  }
}

/** Runs the work, which has to do everything within `run`: that is rolled back where it is only a rehearsal. */
export async function rehearsable<T>(
  isRehearsal: boolean | undefined,
  work: (run: (body: () => Promise<T>) => Promise<T>) => Promise<T>,
): Promise<T> {
  if (isRehearsal !== true) return work((body) => body());
  try {
    return await work(async (body) => {
      throw new Rehearsed(await body());
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.result as T;
    throw error;
  }
}
