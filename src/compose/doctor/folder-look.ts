/** What lies in a data folder, who may read it, and on which disk. */

import { accessSync, chmodSync, constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface FolderFile {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds. */
  readonly writtenAt: number;
}

/** All files below it. */
export function filesBelow(folder: string): FolderFile[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name);
    if (each.isDirectory()) return filesBelow(path);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() ? [{ path, bytes: stats.size, writtenAt: stats.mtimeMs }] : [];
  });
}

/** Bits of a mode. */
export const OTHERS = 0o007;
export const GROUP = 0o070;

const READ_OR_WRITE = 0o066;
const WRITE = 0o022;
const ENTER = 0o011;

/** What those of the mask can read or change. What lies in a folder that they cannot enter is safe, whatever its own mode. */
export function exposedTo(mask: number, path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return [];
  const mode = stats.mode & mask;
  if (!stats.isDirectory()) return (mode & READ_OR_WRITE) === 0 ? [] : [path];
  const own = (mode & WRITE) === 0 ? [] : [path];
  return (mode & ENTER) === 0
    ? own
    : [...own, ...readdirSync(path).flatMap((name) => exposedTo(mask, join(path, name)))];
}

export function closeToOthers(folder: string): void {
  chmodSync(folder, statSync(folder).mode & 0o700);
}

export function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder itself, or the nearest above it that there is. */
export function nearestFolder(folder: string): string {
  return existsSync(folder) ? folder : nearestFolder(dirname(folder));
}

/** By the numbers that Linux gives them (statfs(2)). Locks and shared memory are not to be relied on there. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
]);

export interface Disk {
  readonly free: number;
  /** Its name, where it is one of a network. */
  readonly network: string | undefined;
}

export async function diskOf(folder: string): Promise<Disk> {
  const { bavail, bsize, type } = await statfs(folder);
  const network = process.platform === 'linux' ? NETWORK_FILE_SYSTEMS.get(type >>> 0) : undefined;
  return { free: bavail * bsize, network };
}
