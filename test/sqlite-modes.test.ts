/** Nobody else on the machine can read the data, whatever the umask of whoever starts it. */

import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { callCli } from './cli-caller.ts';
import { runLamina } from './lamina-process.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

it.skipIf(process.platform === 'win32')('folders are for their owner only, and so are files', async () => {
  const parent = await makeFolder();
  const folder = join(parent, 'data');
  const before = process.umask(0);
  try {
    // A process of its own inherits the umask.
    const made = await runLamina(['keys', 'create', 'operator', '--user', 'root', '--database', `sqlite:${folder}`]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    const found = readdirSync(folder, { recursive: true, withFileTypes: true });
    const [folders, files] = [true, false].map((isFolder) => found.filter((each) => each.isDirectory() === isFolder));
    expect(files?.length).toBeGreaterThan(0);
    expect(modeOf(folder)).toBe(0o700);
    for (const { parentPath, name } of folders ?? [])
      expect([name, modeOf(join(parentPath, name))]).toEqual([name, 0o700]);
    for (const { parentPath, name } of files ?? [])
      expect([name, modeOf(join(parentPath, name))]).toEqual([name, 0o600]);
  } finally {
    process.umask(before);
    await removeFolder(parent);
  }
});

const NOBODY = 65534;

/** Root may read everything: what is refused is refused to somebody else. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

it.skipIf(process.platform === 'win32')(
  'a folder that may not be looked into is not taken for an empty one',
  async () => {
    const parent = await makeFolder();
    onTestFinished(() => removeFolder(parent));
    chmodSync(parent, 0o755);
    const folder = join(parent, 'data');
    const where = ['--database', `sqlite:${folder}`];
    await callCli(['keys', 'create', 'operator', '--user', 'root', ...where]);
    const commands = [
      ['audit', 'verify'],
      ['audit', 'verify', '--system'],
      ['list'],
      ['stats'],
      ['quarantine', 'list'],
      ['tenants', 'list'],
      ['backup', join(parent, 'backup')],
      ['export', '-'],
      ['copy', '--from', `sqlite:${folder}`, '--to', `sqlite:${parent}/copy`],
    ].map((args) => (args[0] === 'copy' ? args : [...args, ...where]));
    // What they load is loaded by whoever may.
    for (const args of commands) await callCli(args);
    // As the folder of somebody else is.
    const closed = process.getuid?.() === 0 ? 0o700 : 0o000;
    chmodSync(folder, closed);
    try {
      for (const args of commands) {
        const { code, stderr } = await asNobody(() => callCli(args));
        expect([args[0], code, stderr]).toEqual([args[0], 1, expect.stringMatching(/^UNAVAILABLE: [^\n]*\(EACCES\)/)]);
      }
    } finally {
      chmodSync(folder, 0o700);
    }
  },
);
