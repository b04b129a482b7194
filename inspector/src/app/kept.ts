/** What this browser keeps from visit to visit: how things look and whose memory was looked at. Never a credential. */

const PREFIX = 'lamina.inspector.';

export function kept(name: string): string | undefined {
  try {
    return window.localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    // Storage may be forbidden; then nothing is kept.
    return undefined;
  }
}

export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) window.localStorage.removeItem(PREFIX + name);
    else window.localStorage.setItem(PREFIX + name, value);
  } catch {
    // As above.
  }
}
