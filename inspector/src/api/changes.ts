/** What was changed from here: everything that is shown is then asked for again. */

import { signal, type ReadonlySignal } from '@preact/signals';
import type { Entry } from '../../../src/domain/entry.ts';

export interface Change {
  /** Counts up. */
  readonly number: number;
  /** The memory that was changed, if it was one; null in place of it when it is gone. */
  readonly id?: string;
  readonly memory?: Entry | null;
}

const latest = signal<Change>({ number: 0 });

export const lastChange: ReadonlySignal<Change> = latest;

/** Call it after every write. */
export function changed(change: Omit<Change, 'number'> = {}): void {
  latest.value = { number: latest.peek().number + 1, ...change };
}
