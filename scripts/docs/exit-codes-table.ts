/** The exit codes of the command line, from their table. */

import { EXIT_CODES } from '../../src/cli/exit-code.ts';
import { table } from './markdown.ts';

export function exitCodesTable(): string {
  return table(
    ['code', 'meaning'],
    Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
  );
}
