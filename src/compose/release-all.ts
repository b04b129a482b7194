/** Releasing everything that is held. */

export type Release = () => Promise<void> | undefined;

/** One after another, and each of them, even if an earlier one fails. Rejects with the last failure. */
export async function releaseAll([release, ...rest]: readonly Release[]): Promise<void> {
  try {
    await release?.();
  } finally {
    if (rest.length > 0) await releaseAll(rest);
  }
}
