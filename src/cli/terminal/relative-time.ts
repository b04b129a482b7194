/** Times as people say them: "3 h ago". The exact one is in `--json`. Pure. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** From then on a date says more. */
const RELATIVE_UNTIL = 30 * DAY;

/** `now` is in milliseconds. */
export function relativeTime(time: string, now: number): string {
  const passed = now - Date.parse(time);
  const distance = Math.abs(passed);
  if (distance >= RELATIVE_UNTIL) return time.slice(0, 10);
  if (distance < MINUTE) return passed < 0 ? 'in a moment' : 'just now';
  const [unit, length] =
    distance < HOUR ? (['min', MINUTE] as const) : distance < DAY ? (['h', HOUR] as const) : (['d', DAY] as const);
  const count = `${Math.floor(distance / length)} ${unit}`;
  return passed < 0 ? `in ${count}` : `${count} ago`;
}

/** `1.5 s`, `3 min`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 90 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  return `${Math.round(ms / MINUTE)} min`;
}
