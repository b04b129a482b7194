/** Nobody else on the machine can read the data, whatever the umask of whoever starts it. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
