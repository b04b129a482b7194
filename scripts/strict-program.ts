/**
 * Compiles programs that import every door of the package, as strictly as TypeScript can and without `skipLibCheck`: for
 * those who do so too, the types of a door must need no package that comes neither with Lamina nor with that door, and only
 * those of the library may need Node's.
 */

import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { runCommand } from './run-command.ts';

/** The optional peers that a door is for. Every other door has to do without any. */
const PEERS_OF_DOORS: Readonly<Record<string, readonly string[]>> = {
  './ai-sdk': ['ai', '@ai-sdk/provider'],
  './effect': ['effect'],
  './langgraph': ['@langchain/langgraph-checkpoint'],
};

/** The types that a door may take for granted: those of a browser, or Node's. */
const BROWSER = { lib: ['ES2022', 'DOM'], types: [] as string[] };
const NODE = { lib: ['ES2022'], types: ['node'] };

const COMPILER_OPTIONS = {
  target: 'ES2022',
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
};

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Takes an empty folder, and which files the package has. Throws with what the compiler finds in them. */
export async function assertTypesStandAlone(folder: string, files: readonly string[]): Promise<void> {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
  const doors = Object.keys(manifest.exports).filter((door) => door !== './package.json');
  const withPeers = doors.filter((door) => Object.hasOwn(PEERS_OF_DOORS, door));
  const plain = doors.filter((door) => door !== '.' && !withPeers.includes(door));
  const declarations = files.filter((path) => path.endsWith('.d.ts') || path === 'package.json');
  await Promise.all([
    assertCompiles(join(folder, 'library'), manifest, declarations, ['.'], NODE),
    assertCompiles(join(folder, 'plain'), manifest, declarations, plain, BROWSER),
    assertCompiles(join(folder, 'peers'), manifest, declarations, withPeers, BROWSER),
  ]);
}

async function assertCompiles(
  folder: string,
  { name, dependencies }: Manifest,
  declarations: readonly string[],
  doors: readonly string[],
  granted: typeof BROWSER,
): Promise<void> {
  const peers = doors.flatMap((door) => PEERS_OF_DOORS[door] ?? []);
  for (const path of declarations) await cp(path, join(folder, 'node_modules', name, path));
  for (const installed of [...Object.keys(dependencies), ...peers, ...granted.types.map((each) => `@types/${each}`)]) {
    const link = join(folder, 'node_modules', installed);
    await mkdir(dirname(link), { recursive: true });
    await symlink(resolve('node_modules', installed), link, 'junction');
  }
  const imports = doors.map((door, at) => `export * as door${at} from '${name}${door.slice(1)}';\n`);
  await writeFile(join(folder, 'main.mts'), imports.join(''));
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...COMPILER_OPTIONS, ...granted }, files: ['main.mts'] }),
  );
  const { ok, output } = await runCommand('tsc', ['-p', '.', '--pretty', 'false'], folder);
  // What others' types have against each other is not for us to mend.
  const ours = new RegExp(String.raw`^(node_modules/${name}/|main\.mts|error )`);
  const problems = output.split('\n').filter((line) => ours.test(line));
  if (!ok && !output.includes('error TS')) problems.push(output);
  if (problems.length > 0)
    throw new Error(`The types of ${doors.join(', ')} do not stand alone:\n${problems.join('\n')}`);
}
