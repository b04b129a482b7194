/** How the blocks of a page become a program: what a later block sees, and that lines stay where they are. */

import { expect, it } from 'vitest';
import { programOf } from './docs-program.ts';
import { isScript } from './docs-shell.ts';
import { anchorsOf, blocksOf, linksOf, type Page } from './markdown-pages.ts';

const FENCE = '```';

function pageOf(...lines: readonly string[]): Page {
  return { path: 'docs/page.md', text: lines.join('\n') };
}

const linesOf = (page: Page, wanted: (line: number) => boolean = () => true): string[] =>
  programOf(page, ({ line }) => wanted(line), '127.0.0.1:1').split('\n');

it('keeps every line where it stands, each block in a scope inside the one before', () => {
  const page = pageOf('# Title', `${FENCE}ts`, 'const a = 1;', FENCE, 'Then:', `${FENCE}ts`, 'const a = 2;', FENCE);
  expect(linesOf(page).slice(1)).toEqual(['{', 'const a = 1;', '', '', '{', 'const a = 2;', '', '}} export {};']);
});

it('begins anew after a block that closes what it opened', () => {
  const page = pageOf('# Title', `${FENCE}ts`, 'await lamina.close();', FENCE, `${FENCE}ts`, 'memory;', FENCE);
  expect(linesOf(page).slice(1)).toEqual(['{', 'await lamina.close();', '}', '{', 'memory;', '', '} export {};']);
});

it('has imports at the top, each name once, this package by its files', () => {
  const page = pageOf(
    '# Title',
    `${FENCE}ts`,
    "import { Lamina } from 'lamina';",
    "import type { Memory } from 'lamina';",
    "import { LaminaClient } from 'lamina/client';",
    FENCE,
    `${FENCE}ts`,
    "import { Lamina } from 'lamina';",
    "new LaminaClient({ url: 'http://127.0.0.1:8787' });",
    FENCE,
  );
  const [top = '', ...rest] = linesOf(page);
  expect(top).toMatch(
    /^import \{ Lamina, type Memory \} from '.*\/src\/index\.ts'; import \{ LaminaClient \} from '.*\/src\/client\/index\.ts'; /,
  );
  expect(rest[7]).toBe("new LaminaClient({ url: 'http://127.0.0.1:1' });");
});

it('has what is given before a block, and neither where the block is not wanted', () => {
  const page = pageOf('# Title', '<!-- given: const id = 1; -->', `${FENCE}ts no-run: reason`, 'use(id);', FENCE);
  expect(linesOf(page)[1]).toBe('{ const id = 1; ');
  expect(blocksOf(page)).toEqual([{ language: 'ts', mark: 'no-run: reason', code: 'use(id);\n', line: 3 }]);
  expect(
    linesOf(page, () => false)
      .slice(1)
      .join(''),
  ).toBe(' export {};');
});

it.each([
  ['curl -s http://127.0.0.1:8787/live', true],
  ['npx -y lamina list | head -1', true],
  ['LAMINA_PORT=1 lamina serve', true],
  ['id="$(lamina add tea --json)"', true],
  ['npm install && npm start', true],
  ['npm install lamina', false],
  ['docker run lamina', false],
  ['# curl is not called', false],
])('runs %s in a shell: %s', (code, expected) => {
  expect(isScript({ language: 'sh', mark: '', code, line: 1 })).toBe(expected);
});

it('reads links and headings outside of code only', () => {
  const page = pageOf('# A `b`, c', '[x](y.md "z") `[no](no.md)`', FENCE, '# no', '[no](no.md)', FENCE, '## A b c');
  expect(linksOf(page)).toEqual([{ target: 'y.md', line: 2 }]);
  expect([...anchorsOf(page)]).toEqual(['a-b-c', 'a-b-c-1']);
});
