/**
 * Every block of code in the docs that can run is run. What follows its language on the fence says of one that cannot why:
 * `no-run: needs a provider's key` (a `ts` block is type-checked all the same). `docs-program.ts` and `docs-shell.ts` say what
 * a block may count on.
 */

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../scripts/run-command.ts';
import { isProgram, programOf } from './docs-program.ts';
import type { PageOutcome, PageRun } from './docs-runner.ts';
import { isScript, runScripts } from './docs-shell.ts';
import { LaminaProcess } from './lamina-process.ts';
import { blocksOf, markdownPages, type CodeBlock, type Page } from './markdown-pages.ts';

const LONG = 600_000;
const NO_RUN = /^no-run: \S.*/;
/** Of the generated reference: its ids are made up, and a service may say that they are not there. */
const SAMPLE = 'sample';

/** As strict as a careful user is. */
const COMPILER_OPTIONS = {
  target: 'ES2024',
  lib: ['ES2025', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
  module: 'NodeNext',
  moduleDetection: 'force',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Packages of examples that are not installed here. */
const ABSENT_PACKAGES = `
declare module '@ai-sdk/openai' {
  export const openai: (model: string) => import('@ai-sdk/provider').LanguageModelV4;
}
declare module 'openai' {
  export default class OpenAI { chat: { completions: { create(request: object): Promise<any> } } }
}
`;

const pages = markdownPages(['README.md', 'docs/**/*.md', 'examples/**/*.md']);
const canRun = ({ mark }: CodeBlock): boolean => !NO_RUN.test(mark);
const has = (page: Page, wanted: (block: CodeBlock) => boolean): boolean => blocksOf(page).some(wanted);

let folder: string;
let service: LaminaProcess;
let address: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lamina-docs-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  mkdirSync(join(folder, 'service'));
  service = new LaminaProcess(['serve', '--port', '0'], join(folder, 'service'));
  address = new URL(await service.listening()).host;
}, LONG);

afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.ended();
  rmSync(folder, { recursive: true });
});

/** Writes the programs of all pages that have one; their names are those of the pages. */
function writePrograms(kind: string, wanted: (block: CodeBlock) => boolean): PageRun[] {
  mkdirSync(join(folder, kind));
  return pages
    .filter((page) => has(page, (block) => isProgram(block) && wanted(block)))
    .map((page) => {
      const name = page.path.replaceAll('/', '~');
      const program = join(folder, kind, `${name}.ts`);
      writeFileSync(program, programOf(page, wanted, address));
      return { page: page.path, program, folder: join(folder, 'runs', name) };
    });
}

/** `docs~mcp.md.ts(12,3)` as `docs/mcp.md:12`: lines of programs are lines of their pages. */
function named(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => line.includes('.md.ts('))
    .map((line) =>
      line.replace(
        /^.*?([^/]+\.md)\.ts\((\d+),\d+\)/,
        (_, name: string, at: string) => `${name.replaceAll('~', '/')}:${at}`,
      ),
    );
}

describe('blocks of the docs', () => {
  it('are marked only by what is known, each excuse with a reason', () => {
    const wrong = pages.flatMap((page) =>
      blocksOf(page)
        .filter(({ mark, language }) => mark !== '' && !NO_RUN.test(mark) && !(mark === SAMPLE && language === 'sh'))
        .map(({ line, mark }) => `${page.path}:${line}: ${mark}`),
    );
    expect(wrong).toEqual([]);
  });

  it('parse, where they are JSON', () => {
    const wrong = pages.flatMap((page) =>
      blocksOf(page)
        .filter((block) => block.language === 'json' && canRun(block))
        .flatMap(({ code, line }) => {
          try {
            JSON.parse(code);
            return [];
          } catch (error) {
            return [`${page.path}:${line}: ${String(error)}`];
          }
        }),
    );
    expect(wrong).toEqual([]);
  });

  it('type-check, where they are TypeScript', { timeout: LONG }, async () => {
    expect(writePrograms('checked', () => true).length).toBeGreaterThan(15);
    writeFileSync(join(folder, 'checked', 'absent-packages.d.ts'), ABSENT_PACKAGES);
    const config = { compilerOptions: COMPILER_OPTIONS, include: ['checked/*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { ok, output } = await runCommand('tsc', ['-p', folder, '--pretty', 'false']);
    expect(named(output)).toEqual([]);
    // What is wrong in the source itself, another check says.
    if (!ok) expect(output).toContain('error TS');
  });

  it('run, where they are TypeScript', { timeout: LONG }, async () => {
    const manifest = join(folder, 'manifest.json');
    const programs = writePrograms('run', canRun);
    writeFileSync(manifest, JSON.stringify(programs));
    const child = spawn(process.execPath, ['test/docs-runner.ts', manifest], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const lines = stdout.trim().split('\n').filter(Boolean);
    const outcomes = lines.map((line) => JSON.parse(line) as PageOutcome);
    expect(outcomes.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(
      outcomes.map(({ page }) => page),
      stderr,
    ).toEqual(programs.map(({ page }) => page));
  });

  // Erasing a tenant is for the end.
  const scripted = pages
    .filter((page) => has(page, (block) => isScript(block) && canRun(block)))
    .toSorted((left, right) => Number(/administration/.test(left.path)) - Number(/administration/.test(right.path)));

  it.each(scripted.filter((page) => !has(page, ({ mark }) => mark === SAMPLE)))(
    'run, where they are for a shell: $path',
    { timeout: LONG },
    async (page) => {
      const blocks = blocksOf(page).filter((block) => isScript(block) && canRun(block));
      const home = join(folder, 'shell', page.path.replaceAll('/', '~'));
      expect(await runScripts(page, blocks, home)).toBeUndefined();
    },
  );

  it('are named with their line where they fail', { timeout: LONG }, async () => {
    const code = 'curl http://127.0.0.1:8787/v1/nowhere\n';
    const page: Page = { path: 'docs/page.md', text: `# Title\n\n\`\`\`sh\n${code}\`\`\`\n` };
    const failure = await runScripts(page, blocksOf(page), join(folder, 'shell', 'failing'));
    expect(failure).toMatch(/^docs\/page\.md:3 ended with 22:.*NOT_FOUND/s);
  });

  it('are answered by a service, where they are samples of the reference', { timeout: LONG }, async () => {
    const samples = scripted.flatMap((page) => blocksOf(page).filter(({ mark }) => mark === SAMPLE));
    expect(samples.length).toBeGreaterThan(150);
    const page: Page = { path: 'docs/reference/http', text: '' };
    expect(await runScripts(page, samples, join(folder, 'shell', 'samples'))).toBeUndefined();
  });

  it('are counted', () => {
    process.stdout.write(`${tally()}\n`);
  });
});

/** How many ran, and why the others did not. */
function tally(): string {
  const all = pages.flatMap((page) => blocksOf(page).map((block) => ({ page, block })));
  const count = (wanted: (block: CodeBlock) => boolean): number => all.filter(({ block }) => wanted(block)).length;
  const excused = all.filter(({ block }) => !canRun(block));
  return [
    `ts: ${count((block) => isProgram(block) && canRun(block))} ran, ${count((block) => isProgram(block) && !canRun(block))} type-checked only`,
    `sh: ${count((block) => isScript(block) && canRun(block))} ran, ${count((block) => block.language === 'sh' && canRun(block) && !isScript(block))} of others' programs`,
    `json: ${count((block) => block.language === 'json' && canRun(block))} parsed`,
    ...excused.map(({ page, block }) => `  ${page.path}:${block.line} ${block.mark}`),
  ].join('\n');
}
