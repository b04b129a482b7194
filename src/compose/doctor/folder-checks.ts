/** Whether the folder of the data is safe, and has room. */

import { existsSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { ok, problem, warning, type Check, type Finding } from './check.ts';
import {
  closeToOthers,
  diskOf,
  exposedTo,
  filesBelow,
  GROUP,
  isWritable,
  nearestFolder,
  OTHERS,
} from './folder-look.ts';
import type { World } from './world.ts';

const MIB = 1024 ** 2;
const LEAST_FREE = 100 * MIB;
const COMFORTABLE_FREE = 1024 * MIB;

/** Undefined where the data lies on a server. */
function folderOf({ address }: World): string | undefined {
  return address.engine === 'postgres' ? undefined : resolve(address.folder);
}

/** A check of the folder, where there is one. */
function ofFolder(
  row: Pick<Check<World>, 'name' | 'looksAt'>,
  look: (folder: string) => Finding[] | Promise<Finding[]>,
  needsFolder = true,
): Check<World> {
  return {
    ...row,
    group: 'Data',
    isFor: (world) => {
      const folder = folderOf(world);
      return folder !== undefined && (!needsFolder || existsSync(folder));
    },
    run: async (world) => look(folderOf(world) ?? ''),
  };
}

const folderCheck = ofFolder(
  { name: 'folder', looksAt: 'Whether the data folder is there and can be written' },
  (folder) => {
    if (!existsSync(folder)) {
      const above = nearestFolder(folder);
      return isWritable(above)
        ? [ok(`There is no data yet: ${folder} is made with the first memory.`)]
        : [
            problem(
              `${folder} is not there and cannot be made.`,
              `Make it, or let this user write: chown "$(id -un)" '${above}'`,
            ),
          ];
    }
    if (!statSync(folder).isDirectory()) {
      return [problem(`${folder} is no folder.`, 'Name a folder in LAMINA_DATABASE_URL: sqlite:FOLDER')];
    }
    if (isWritable(folder)) return [ok(`${folder} can be read and written.`)];
    const fix = `Run as its owner, or give it to this user: chown -R "$(id -un)" '${folder}'`;
    return [problem(`${folder} cannot be read and written by this user.`, fix)];
  },
  false,
);

const modes: Check<World> = ofFolder(
  { name: 'file-modes', looksAt: 'Whether others on this machine can read or change the data' },
  (folder) => (process.platform === 'win32' ? [] : modeFindings(folder)),
);

function modeFindings(folder: string): Finding[] {
  const fix = `chmod go-rwx '${folder}'`;
  const repair = {
    does: `Close ${folder} to everybody else`,
    run: async () => {
      closeToOthers(folder);
      return `${folder} is closed to everybody else.`;
    },
  };
  const shown = (paths: readonly string[]): string => {
    const names = paths.slice(0, 3).map((path) => relative(folder, path) || 'the folder itself');
    return paths.length > 3 ? `${names.join(', ')} and ${paths.length - 3} more` : names.join(', ');
  };
  const toOthers = exposedTo(OTHERS, folder);
  if (toOthers.length > 0)
    return [problem(`Every user of this machine can read or change ${shown(toOthers)}.`, fix, repair)];
  const toGroup = exposedTo(GROUP, folder);
  if (toGroup.length > 0)
    return [warning(`The group of the folder can read or change ${shown(toGroup)}.`, fix, repair)];
  return [ok('Only its owner can read and change the data.')];
}

export function spaceFinding(free: number, used: number, largest: number): Finding {
  const told = `${mebibytes(free)} free, ${mebibytes(used)} of data.`;
  const fix = 'Free space on that disk, or move the folder to a larger one while nothing runs.';
  if (free < LEAST_FREE) return problem(`The disk is almost full: ${told}`, fix);
  if (free < Math.max(COMFORTABLE_FREE, largest)) {
    return warning(`The disk fills up: ${told} To compact a file takes as much room as it has.`, fix);
  }
  return ok(told);
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB).toLocaleString('en')} MiB`;
}

const diskSpace = ofFolder(
  { name: 'disk-space', looksAt: 'Free space against the size of the data' },
  async (folder) => {
    const sizes = filesBelow(folder).map(({ bytes }) => bytes);
    const { free } = await diskOf(folder);
    return [
      spaceFinding(
        free,
        sizes.reduce((sum, each) => sum + each, 0),
        Math.max(0, ...sizes),
      ),
    ];
  },
);

const fileSystem = ofFolder(
  { name: 'file-system', looksAt: 'Whether the folder lies on a network, where locks cannot be relied on' },
  async (folder) => {
    const { network } = await diskOf(folder);
    if (network === undefined) return [];
    const fix = 'Put the folder on a disk of this machine, or use PostgreSQL: docs/postgres.md';
    return [
      problem(`The folder lies on a network file system (${network}): two processes could damage the data.`, fix),
    ];
  },
);

/** A log without its file belongs to a file that was removed by hand: should one of that name come back, it would be damaged. */
const leftovers = ofFolder({ name: 'leftovers', looksAt: 'Logs whose file is gone' }, (folder) => {
  const stray = filesBelow(folder)
    .map(({ path }) => path)
    .filter((path) => /\.db-(wal|shm|journal)$/.test(path) && !existsSync(path.replace(/-(wal|shm|journal)$/, '')));
  if (stray.length === 0) return [];
  const fix = `If the file was removed on purpose: rm ${stray.map((path) => `'${path}'`).join(' ')}`;
  return [
    warning(`Logs are left of files that are gone: ${stray.map((path) => relative(folder, path)).join(', ')}.`, fix),
  ];
});

export const FOLDER_CHECKS: readonly Check<World>[] = [folderCheck, modes, fileSystem, diskSpace, leftovers];
