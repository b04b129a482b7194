/**
 * Uses the package as a stranger would: unpacked into an empty project that is ESM and as strict as TypeScript's `strict`, where a
 * program is compiled and run and `npx lamina` answers. Dependencies are linked from here, so that no network is needed.
 */

import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { mustRun } from './run-command.ts';

const PROGRAM = `
import { Lamina, LaminaError, type SearchResult } from 'lamina';
import { LaminaClient } from 'lamina/client';

await using lamina = await Lamina.open({ folder: './memory' });
const memory = lamina.as({ userId: 'ada' });
await memory.add({ content: 'Ada prefers tea to coffee', layer: 'user' });
const { results } = await memory.search({ query: 'tea or coffee?' });
const best: SearchResult | undefined = results[0];
console.log(best?.memory.content);

const nobody = new LaminaClient({ url: 'http://127.0.0.1:9', retry: { maxAttempts: 1 } });
const failure: unknown = await nobody.as({ userId: 'ada' }).search({ query: 'tea' }).catch((error: unknown) => error);
console.log(failure instanceof LaminaError ? failure.code : failure);
`;
const SAYS = 'Ada prefers tea to coffee\nUNAVAILABLE';

const COMPILER_OPTIONS = {
  target: 'ES2022',
  lib: ['ES2023', 'ESNext.Disposable'],
  module: 'NodeNext',
  types: ['node'],
  strict: true,
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** Takes an empty folder and the packed package. Throws with what went wrong. */
export async function assertWorksInFreshProject(folder: string, tarball: string): Promise<void> {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
  await installInto(folder, tarball, manifest);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  await writeFile(join(folder, 'main.ts'), PROGRAM);
  const options = { compilerOptions: COMPILER_OPTIONS, files: ['main.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));

  await mustRun('tsc', ['-p', '.', '--pretty', 'false'], folder);
  const said = await mustRun(process.execPath, ['main.js'], folder);
  if (said !== SAYS) throw new Error(`A program in a fresh project says:\n${said}`);
  const version = await mustRun('npx', ['--no', '--', 'lamina', '--version'], folder);
  if (version !== manifest.version) throw new Error(`npx lamina --version says "${version}".`);
}

/** What npm install does, save that dependencies are links to those of this checkout. */
async function installInto(folder: string, tarball: string, manifest: Manifest): Promise<void> {
  const { name, dependencies, optionalDependencies } = manifest;
  const installed = join(folder, 'node_modules', name);
  await mkdir(installed, { recursive: true });
  await mustRun('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  // An optional one that this machine cannot have would be left out by npm, too.
  const optional = Object.keys(optionalDependencies).filter((each) => existsSync(join('node_modules', each)));
  for (const dependency of [...Object.keys(dependencies), ...optional, '@types/node']) {
    const link = join(folder, 'node_modules', dependency);
    await mkdir(dirname(link), { recursive: true });
    await symlink(resolve('node_modules', dependency), link, 'junction');
  }
  const bin = join(folder, 'node_modules/.bin');
  await mkdir(bin, { recursive: true });
  await symlink(`../${name}/bin/lamina.js`, join(bin, 'lamina'));
}
