/** What was heard of the event stream. It is kept while the page is open, and gone on with where it was left. */

import { signal, type ReadonlySignal } from '@preact/signals';
import { asLaminaError, type LaminaError } from '../../../../src/domain/error.ts';
import type { Event } from '../../../../src/domain/event.ts';
import { ask, following, isAborted } from '../../api/ask.ts';
import { principalKey } from '../../api/session.ts';

const MAX_KEPT = 1000;

export interface EventLog {
  /** Newest first. */
  readonly events: readonly Event[];
  readonly status: 'connecting' | 'live' | 'failed';
  readonly error?: LaminaError;
  /** How many came in all. */
  readonly heard: number;
}

const EMPTY: EventLog = { events: [], status: 'connecting', heard: 0 };

const log = signal<EventLog>(EMPTY);
let position: string | undefined;
let whose: string | undefined;

export const eventLog: ReadonlySignal<EventLog> = log;

export function clearEvents(): void {
  log.value = { ...log.peek(), events: [], heard: 0 };
}

/** Follows until the signal ends it. Somebody else begins with an empty log. */
export async function followEvents(stop: AbortSignal): Promise<void> {
  if (whose !== principalKey.peek()) {
    whose = principalKey.peek();
    position = undefined;
    log.value = EMPTY;
  }
  log.value = { events: log.peek().events, heard: log.peek().heard, status: 'connecting' };
  try {
    position ??= (await ask((memory) => memory.events.position({}), stop)).position;
    log.value = { ...log.peek(), status: 'live' };
    for await (const event of following().events.follow({ after: position, signal: stop })) {
      position = event.id;
      hear(event);
    }
  } catch (thrown) {
    if (stop.aborted || isAborted(thrown)) return;
    // What the log does not know any more cannot be gone on with.
    position = undefined;
    log.value = { ...log.peek(), status: 'failed', error: asLaminaError(thrown) };
  }
}

let heardSince: Event[] = [];

/** Many may come at once: they are shown together, with the next picture. */
function hear(event: Event): void {
  heardSince.push(event);
  if (heardSince.length > 1) return;
  requestAnimationFrame(() => {
    const fresh = heardSince.toReversed();
    heardSince = [];
    const { events, heard, ...rest } = log.peek();
    log.value = { ...rest, heard: heard + fresh.length, events: [...fresh, ...events].slice(0, MAX_KEPT) };
  });
}
