/** Whether there is room on the disk. */

import { statfsSync } from 'node:fs';

/** Bytes: a few writes of a memory with its vector and its words. */
const ENOUGH = 1024 * 1024;

export const NO_ROOM = 'The disk is full: less than a mebibyte is free. Make room on it.';

/** True also where the file system does not tell. */
export function hasRoom(folder: string): boolean {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return blocks === 0 || bavail * bsize >= ENOUGH;
  } catch {
    return true;
  }
}
