/** Numbers as people read them. */

const counts = new Intl.NumberFormat();
const three = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
const KILO = 1024;

const SECONDS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

export function countText(value: number): string {
  return counts.format(value);
}

export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(KILO)));
  return `${three.format(bytes / KILO ** step)} ${BYTE_UNITS[step]}`;
}

/** Such as `0.42 ms` or `1.3 s`; a dash where nothing was measured. */
export function millisecondsText(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms >= 1000 ? `${three.format(ms / 1000)} s` : `${three.format(ms)} ms`;
}

export function rateText(perSecond: number): string {
  return three.format(perSecond);
}

/** Such as `3 h 12 min`. */
export function durationText(seconds: number): string {
  const at = SECONDS.findIndex(([, length]) => seconds >= length);
  if (at === -1) return `${Math.floor(seconds)} s`;
  let rest = seconds;
  const parts = SECONDS.slice(at, at + 2).map(([unit, length]) => {
    const whole = Math.floor(rest / length);
    rest -= whole * length;
    return whole === 0 ? '' : `${whole} ${unit}`;
  });
  return parts.join(' ').trim();
}
