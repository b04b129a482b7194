/** An entry of which what is sealed cannot be opened: it can be named and removed, and nothing else. */

import type { Entry } from './entry.ts';
import { LaminaError } from './error.ts';

/** What is left of it is where it lies, whose it is, and when it came about. */
export function closedEntry(entry: Entry): Entry {
  const { knowledgePointer: _pointer, source: _source, ...readable } = entry;
  return { ...readable, content: '', contentHash: '', metadata: {}, tags: [] };
}

/** Whatever was written has a hash. */
export function isClosed({ contentHash }: Pick<Entry, 'contentHash'>): boolean {
  return contentHash === '';
}

/** The same call fails until somebody does something about it. */
export function unreadable(what: string, id: string, cause?: unknown): LaminaError {
  return new LaminaError(
    'PROVIDER_ERROR',
    `The ${what} ${id} was altered beside Lamina, and cannot be opened. Restore a backup, or delete it: nothing has to be opened for that.`,
    { details: { id, permanent: true }, advice: 'Restore a backup, or delete it.', cause },
  );
}

/** Whether it is an error of {@link unreadable}. */
export function isUnreadable(error: unknown): boolean {
  return (
    error instanceof LaminaError &&
    error.code === 'PROVIDER_ERROR' &&
    error.details?.['permanent'] === true &&
    error.details['id'] !== undefined
  );
}
