/** The colours of the stylesheet for a canvas, which cannot read custom properties by itself. */

import { signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { theme } from '../app/theme.ts';

const systemTheme = signal(0);
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => (systemTheme.value += 1));

export type ColourOf = (token: string) => string;

/** Gives the colour of a token, as `--text`; another function after the theme has changed. */
export function useColours(): ColourOf {
  const [turn, setTurn] = useState(0);
  const key = `${theme.value} ${systemTheme.value}`;
  // The attribute of the theme is set before this runs.
  useEffect(() => setTurn((before) => before + 1), [key]);
  return useMemo(() => {
    const known = new Map<string, string>();
    return (token) => {
      const colour = known.get(token) ?? resolved(token);
      known.set(token, colour);
      return colour;
    };
  }, [turn, key]);
}

function resolved(token: string): string {
  const probe = document.createElement('span');
  probe.hidden = true;
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
