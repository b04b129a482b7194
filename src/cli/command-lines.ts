/** Hints at other commands: on the line itself if it is one, else below it, the first few of them. */

import { shellLine } from './terminal/shell-line.ts';

/** More of them nobody copies. */
const MAX_LINES = 5;

/** `rest` says how to see those that are not shown. */
export function commandLines(intro: string, commands: readonly (readonly string[])[], rest?: string): string[] {
  const lines = commands.map(shellLine);
  const [only] = lines;
  if (only !== undefined && lines.length === 1) return [`${intro} ${only}`];
  const more = lines.length - MAX_LINES;
  const isCut = more > 0;
  return [
    intro,
    ...lines.slice(0, MAX_LINES).map((line) => `  ${line}`),
    ...(isCut ? [`  … and ${more} more${rest === undefined ? '' : `: ${rest}`}`] : []),
  ];
}
