/** The README is true: its commands and its programs are run as they stand there. */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMPLE_ADDRESS, programOf } from './docs-program.ts';
import { LaminaProcess } from './lamina-process.ts';
import { blocksOf } from './markdown-pages.ts';

const run = promisify(execFile);
const STARTING_MS = 60_000;

const readme = await readFile('README.md', 'utf8');

function blocks(language: string): string[] {
  const all = blocksOf({ path: 'README.md', text: readme });
  return all.filter((block) => block.language === language).map(({ code }) => code);
}

let folder: string;
let lamina: LaminaProcess;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lamina-readme-'));
  lamina = new LaminaProcess(['serve', '--port', '0'], folder);
  address = new URL(await lamina.listening()).host;
}, STARTING_MS);

afterAll(async () => {
  lamina.child.kill('SIGKILL');
  await lamina.ended();
  await rm(folder, { recursive: true });
});

/** As the test of all blocks runs it, which looks at nothing that it prints. */
async function runProgram(name: string, code: string): Promise<string> {
  const file = join(folder, `${name}.ts`);
  await writeFile(
    file,
    programOf({ path: file, text: `\`\`\`ts\n${code}\`\`\`` }, () => true, address),
  );
  return (await run(process.execPath, [file], { cwd: folder })).stdout;
}

describe('the README', () => {
  it('stays within 120 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(121);
  });

  it('stores a memory with curl and finds it again', { timeout: STARTING_MS }, async () => {
    const [store, find] = blocks('sh').filter((block) => block.startsWith('curl'));
    const shell = async <Answer>(command = ''): Promise<Answer> => {
      const { stdout } = await run('sh', ['-c', command.replaceAll(EXAMPLE_ADDRESS, address)]);
      return JSON.parse(stdout) as Answer;
    };
    const stored = await shell<{ status: string; memory: { id: string } }>(store);
    expect(stored.status).toBe('created');
    const found = await shell<{ results: { memory: { id: string } }[] }>(find);
    expect(found.results.map(({ memory }) => memory.id)).toEqual([stored.memory.id]);
  });

  it('remembers as a library', { timeout: STARTING_MS }, async () => {
    const [library = ''] = blocks('ts');
    const output = await runProgram('library', library);
    expect(output).toContain('project Use tabs for indentation');
  });

  it('does the same over HTTP by changing one line', { timeout: STARTING_MS }, async () => {
    const [library = '', remote = ''] = blocks('ts');
    const opened = /import \{ Lamina \}.*?\n\nconst lamina = await Lamina\.open\(\);.*?\n/s;
    expect(library).toMatch(opened);
    const output = await runProgram('remote', library.replace(opened, remote));
    expect(output).toContain('project Use tabs for indentation');
  });
});
