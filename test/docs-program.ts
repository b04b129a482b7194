/**
 * The `ts` blocks of a page as one program, whose lines are the lines of the page.
 *
 * Blocks come in order, each in a scope inside the one before: a later block sees what an earlier one made, and may name
 * things anew. A block that closes what it opened is a whole program, and the next one begins from the start. `lamina` and
 * `memory` (of alice) are at hand. `<!-- given: … -->` stands for what a reader has already, such as an id: it is code of the
 * program and not shown on the site.
 */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { blocksOf, givenOf, type CodeBlock, type Page } from './markdown-pages.ts';

/** Where the example addresses of the docs lead. */
export const EXAMPLE_ADDRESS = /(127\.0\.0\.1|localhost):8787/g;

const AT_HAND =
  "const lamina = await Lamina.open({ folder: './at-hand' }); const memory = lamina.as({ userId: 'alice' });";

interface Piece {
  readonly line: number;
  /** The first one opens its scope. */
  readonly lines: readonly string[];
  readonly endsProgram: boolean;
}

export function isProgram({ language }: CodeBlock): boolean {
  return language === 'ts';
}

/** `address` is where a service listens. Only blocks that `wanted` accepts are part of it. */
export function programOf(page: Page, wanted: (block: CodeBlock) => boolean, address: string): string {
  const blocks = blocksOf(page).filter((block) => isProgram(block) && wanted(block));
  const imports = new Imports();
  const given = givenOf(page, blocks, blocksOf(page)).map(({ code, line }) => ({
    line,
    lines: `{${imports.takenOutOf(code)}`.split('\n'),
    endsProgram: false,
  }));
  const pieces: Piece[] = [...blocks.map((block) => pieceOf(block, imports)), ...given];
  const out = page.text.split('\n').map(() => '');
  let depth = 0;
  for (const { line, lines, endsProgram } of pieces.toSorted((left, right) => left.line - right.line)) {
    for (const [at, text] of lines.entries()) out[line - 1 + at] = text;
    depth += 1;
    if (!endsProgram) continue;
    out[line - 1 + lines.length] = '}'.repeat(depth);
    depth = 0;
  }
  imports.add("import { Lamina } from 'lamina';");
  out[0] = `${imports.text()} ${AT_HAND} void [lamina, memory];${out[0]}`;
  out.push(`${'}'.repeat(depth)} export {};`);
  return out.join('\n').replaceAll(EXAMPLE_ADDRESS, address);
}

function pieceOf({ code, line }: CodeBlock, imports: Imports): Piece {
  const text = imports
    .takenOutOf(code)
    .replaceAll(/^export (?=(async )?(const|function|class|interface|type)\b)/gm, '');
  return { line, lines: ['{', ...text.trimEnd().split('\n')], endsProgram: /\blamina\.close\(\)/.test(code) };
}

/** Imports of all blocks, each name once. They have to stand at the top. */
class Imports {
  readonly #names = new Map<string, Set<string>>();
  readonly #others = new Set<string>();

  /** The code with empty lines in place of its imports. */
  takenOutOf(code: string): string {
    return code.replaceAll(/^ *import\b[^;]*?'[^']+';?/gm, (statement) => {
      this.add(statement);
      return statement.replaceAll(/[^\n]/g, '');
    });
  }

  add(statement: string): void {
    const [, isType = '', names, specifier = ''] =
      /^\s*import (type )?\{([^}]*)\} from '([^']+)'/.exec(statement) ?? [];
    if (names === undefined) {
      this.#others.add(statement.trim().replace(/'([^']+)';?$/, (_, name: string) => `'${fileOf(name)}';`));
      return;
    }
    const known = this.#names.get(specifier) ?? new Set();
    this.#names.set(specifier, known);
    for (const name of names.split(',').map((each) => each.trim())) if (name !== '') known.add(`${isType}${name}`);
  }

  text(): string {
    const named = [...this.#names].map(
      ([specifier, names]) => `import { ${[...names].join(', ')} } from '${fileOf(specifier)}';`,
    );
    return [...named, ...this.#others].join(' ');
  }
}

/** This package by its files, anything else by its name. */
function fileOf(specifier: string): string {
  const [, door] = /^lamina(?:\/([\w-]+))?$/.exec(specifier) ?? ['', null];
  if (door === null) return specifier;
  return pathToFileURL(resolve('src', door ?? '', 'index.ts')).pathname;
}
