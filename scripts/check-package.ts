/** Looks at the package as npm would publish it: what is in it, how large it is, whether others can import it. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertWorksInFreshProject } from './fresh-project.ts';
import { mustRun } from './run-command.ts';
import { assertTypesStandAlone } from './strict-program.ts';

const MAX_PACKED_BYTES = 2_600_000;
const MAX_UNPACKED_BYTES = 12_000_000;
const MAY_SHIP: readonly RegExp[] = [
  /^bin\/lamina\.js$/,
  /^dist\/.+\.(js|d\.ts|js\.map)$/,
  // The inspector, with each file as it can be sent.
  /^dist\/inspector\/.+\.(html|js|css|svg)(\.(br|gz))?$/,
  /^sql\/.+\.sql$/,
  // Messages name pages of it.
  /^docs\/(guide\/)?[a-z-]+\.md$/,
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
];
const MUST_SHIP = [
  'bin/lamina.js',
  'dist/cli/main.js',
  'dist/index.js',
  'dist/inspector/index.html',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'package.json',
];

/**
 * Npm warns whoever installs a package with one of these. `postprepare`, which builds the inspector in a checkout, runs there
 * only, and is not among them.
 */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepublish', 'prepare'];

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

function assertContents({ size, unpackedSize, files }: Packed): void {
  const paths = files.map(({ path }) => path);
  const strangers = paths.filter((path) => !MAY_SHIP.some((pattern) => pattern.test(path)));
  const missing = MUST_SHIP.filter((path) => !paths.includes(path));
  if (!paths.some((path) => path.startsWith('sql/'))) missing.push('sql/');
  if (strangers.length > 0) throw new Error(`These should not be published: ${strangers.join(', ')}`);
  if (missing.length > 0) throw new Error(`These are missing from the package: ${missing.join(', ')}`);
  assertAtMost('packed', size, MAX_PACKED_BYTES);
  assertAtMost('unpacked', unpackedSize, MAX_UNPACKED_BYTES);
}

function assertAtMost(how: string, bytes: number, most: number): void {
  if (bytes > most) throw new Error(`The package has ${bytes} bytes ${how}; at most ${most} are wanted.`);
}

async function assertNothingRuns(): Promise<void> {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
  const found = INSTALL_SCRIPTS.filter((name) => Object.hasOwn(scripts, name));
  if (found.length > 0) throw new Error(`Installing the package would run scripts: ${found.join(', ')}`);
}

const folder = await mkdtemp(join(tmpdir(), 'lamina-pack-'));
try {
  // Without scripts: dist was built and tried just before, and packing must not build it again.
  const report = await mustRun('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  // npm 11 answers with a list, npm 12 with an object by package name.
  const [packed] = Object.values(JSON.parse(report) as Record<string, Packed>);
  if (!packed) throw new Error('npm packed nothing.');
  assertContents(packed);
  await assertNothingRuns();
  const tarball = join(folder, packed.filename);
  await assertTypesStandAlone(
    join(folder, 'programs'),
    packed.files.map(({ path }) => path),
  );
  await assertWorksInFreshProject(join(folder, 'fresh'), tarball);
  await mustRun('publint', ['run', tarball, '--strict']);
  await mustRun('attw', [tarball, '--profile', 'esm-only', '--no-definitely-typed', '--no-emoji']);
  console.log(`${packed.files.length} files, ${Math.ceil(packed.size / 1000)} kB packed.`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
