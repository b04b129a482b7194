/** Command lines that are printed come out of a shell as they went in, and are no command to the terminal. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shellLine } from '../src/cli/terminal/shell-line.ts';
import { shellWords } from './shell-words.ts';

it('come out of a shell as they went in, whatever is in them', async () => {
  const word = fc
    .oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom("'", '"', '$', '`', '\\', ' ', '\n', ';', '!', '*', '~', '\u001B', '\u202E') }),
    )
    .map((text) => text.replaceAll('\0', '').toWellFormed());
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1 }), async (words) => {
      const line = shellLine(words);
      expect(line).not.toMatch(/[\p{Cc}\u202A-\u202E]/u);
      expect(await shellWords(line)).toEqual(words);
    }),
    { numRuns: 60 },
  );
});

it('is plain where nothing needs quotes', () => {
  expect(shellLine(['lamina', 'forget', '--tag', 'import:mem0', '--database', 'sqlite:/tmp/a b'])).toBe(
    "lamina forget --tag import:mem0 --database 'sqlite:/tmp/a b'",
  );
});
