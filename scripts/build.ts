/** Builds dist from src, and makes sure that it runs as it will be installed: without src. */

import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mustRun } from './run-command.ts';

const SHIPPED = ['bin', 'dist', 'sql', 'package.json'];

/** Every entry point loads; memory finds its SQL, its model's worker and its native parts from where it is installed. */
const SMOKE_TEST = `
  const doors = ['ai-sdk', 'client', 'effect', 'langgraph', 'providers', 'testing', 'tools'];
  await Promise.all(doors.map((door) => import('lamina/' + door)));
  const { Lamina } = await import('lamina');
  const lamina = await Lamina.open({ folder: './data' });
  const memory = lamina.as({ userId: 'builder' });
  await memory.add({ content: 'The build was tried', layer: 'user' });
  const { results } = await memory.search({ query: 'was it tried?' });
  await lamina.close();
  if (results.length !== 1) throw new Error('What was stored was not found again.');
`;

async function assertRuns(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lamina-build-'));
  try {
    await Promise.all(SHIPPED.map((name) => cp(name, join(folder, name), { recursive: true })));
    await symlink(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
    const version = await mustRun(process.execPath, ['bin/lamina.js', '--version'], folder);
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    if (version !== manifest.version) throw new Error(`The built command line says "${version}".`);
    await mustRun(process.execPath, ['--input-type=module', '--eval', SMOKE_TEST], folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await rm('dist', { recursive: true, force: true });
await mustRun('tsc', ['-p', 'tsconfig.build.json']);
await mustRun('node', ['scripts/build-inspector.ts']);
await assertRuns();
console.log('dist is built and runs.');
