/** A time as people say it, in the viewer's zone; exactly when one points at it. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';

const TICK_MS = 30_000;

/** The present, told twice a minute. */
const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), TICK_MS);

const STEPS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Such as "3 days ago" or "in 2 hours". */
function relativeTime(at: number, from: number): string {
  const seconds = (at - from) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return Math.abs(seconds) < 10 ? 'just now' : relative.format(Math.round(seconds), 'second');
}

export function exactTime(at: string | number): string {
  return exact.format(new Date(at));
}

export function dayOf(at: string | number): string {
  return short.format(new Date(at));
}

export function Time({ at }: { readonly at: string }): VNode {
  return (
    <time class="time" dateTime={at} title={exactTime(at)}>
      {relativeTime(Date.parse(at), now.value)}
    </time>
  );
}
