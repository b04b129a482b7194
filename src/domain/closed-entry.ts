/** An entry whose sealed part cannot be opened: it can only be named and removed. */

import type { Entry } from './entry.ts';
import { LaminaError } from './error.ts';

/** What can still be read: its scope, its owner and its times. */
export function closedEntry(entry: Entry): Entry {
  const { knowledgePointer: _pointer, source: _source, ...readable } = entry;
  return { ...readable, content: '', contentHash: '', metadata: {}, tags: [] };
}

/** Every stored entry has a hash. */
export function isClosed({ contentHash }: Pick<Entry, 'contentHash'>): boolean {
  return contentHash === '';
}

/** The call fails until somebody fixes the cause. */
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
