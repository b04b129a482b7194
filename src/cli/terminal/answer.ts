/** What a command answers: text for people, or with `--json` one document for machines. */

import type { Given } from '../command.ts';
import { EXIT_CODES } from '../exit-code.ts';

/** Resolves with the exit code of a command that worked. The text needs no end of line. */
export function answer(given: Given, value: unknown, text: () => string): number {
  const { stdout } = given.terminal;
  stdout.write(given.has('json') ? `${JSON.stringify(value, null, 2)}\n` : `${text()}\n`);
  return EXIT_CODES.ok.code;
}
