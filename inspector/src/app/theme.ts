/** Light, dark, or as the system has it. */

import { signal } from '@preact/signals';
import { keep, kept } from './kept.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'theme';

export const theme = signal<Theme>(THEMES.find((name) => name === kept(KEY)) ?? 'system');

export function applyTheme(next: Theme = theme.value): void {
  theme.value = next;
  keep(KEY, next === 'system' ? undefined : next);
  document.documentElement.dataset['theme'] = next;
}
