/** What the names in Redis and in Qdrant begin with, so that databases that share one are kept apart. */

/** In words that complete "it accepts …". */
export const NAME_PREFIX = 'up to 40 letters, digits and hyphens';

export const DEFAULT_NAME_PREFIX = 'lamina';

/** Without an underscore or a colon, which divide it from the rest of a name. */
export function isNamePrefix(text: string): boolean {
  return /^[A-Za-z0-9-]{1,40}$/.test(text);
}
