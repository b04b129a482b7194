/** Colour, only where somebody sees it: on a terminal, unless NO_COLOR says otherwise; FORCE_COLOR has the last word. */

import { styleText } from 'node:util';
import type { Terminal } from './terminal.ts';

type Format = Parameters<typeof styleText>[0];

/** The text in this format, or as it is. */
export type Paint = (format: Format, text: string) => string;

export const plain: Paint = (_, text) => text;

const coloured: Paint = (format, text) => styleText(format, text, { validateStream: false });

/** For its standard output. */
export function paintOn({ stdout, environment }: Pick<Terminal, 'stdout' | 'environment'>): Paint {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: term } = environment;
  if (forced !== undefined && forced !== '') return forced === '0' || forced === 'false' ? plain : coloured;
  const isRefused = (refused !== undefined && refused !== '') || term === 'dumb';
  return stdout.isTTY && !isRefused ? coloured : plain;
}
