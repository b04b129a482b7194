/** Looks at the package as npm would publish it: what is in it, how large it is, whether others can import it. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun } from './run-command.ts';
import { assertTypesStandAlone } from './strict-program.ts';

const MAX_PACKED_BYTES = 2_000_000;
const MAY_SHIP =
  /^(bin\/lamina\.js|dist\/.+\.(js|d\.ts|js\.map)|sql\/.+\.sql|(package\.json|README\.md|LICENSE|CHANGELOG\.md))$/;
const MUST_SHIP = [
  'bin/lamina.js',
  'dist/cli/main.js',
  'dist/index.js',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'package.json',
];

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

function assertContents({ size, files }: Packed): void {
  const paths = files.map(({ path }) => path);
  const strangers = paths.filter((path) => !MAY_SHIP.test(path));
  const missing = MUST_SHIP.filter((path) => !paths.includes(path));
  if (!paths.some((path) => path.startsWith('sql/'))) missing.push('sql/');
  if (strangers.length > 0) throw new Error(`These should not be published: ${strangers.join(', ')}`);
  if (missing.length > 0) throw new Error(`These are missing from the package: ${missing.join(', ')}`);
  if (size > MAX_PACKED_BYTES)
    throw new Error(`The package has ${size} bytes; at most ${MAX_PACKED_BYTES} are wanted.`);
}

const folder = await mkdtemp(join(tmpdir(), 'lamina-pack-'));
try {
  // Without scripts: dist was built and tried just before, and packing must not build it again.
  const report = await mustRun('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  // npm 11 answers with a list, npm 12 with an object by package name.
  const [packed] = Object.values(JSON.parse(report) as Record<string, Packed>);
  if (!packed) throw new Error('npm packed nothing.');
  assertContents(packed);
  const tarball = join(folder, packed.filename);
  await assertTypesStandAlone(
    join(folder, 'programs'),
    packed.files.map(({ path }) => path),
  );
  await mustRun('publint', ['run', tarball, '--strict']);
  await mustRun('attw', [tarball, '--profile', 'esm-only', '--no-definitely-typed', '--no-emoji']);
  console.log(`${packed.files.length} files, ${Math.ceil(packed.size / 1000)} kB packed.`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
