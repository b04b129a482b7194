/** A disk of a few megabytes that a test can fill, where whoever runs the tests may mount one. */

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Takes all that is free but so many bytes. */
  fill(left: number): void;
  /** Gives it back. */
  makeRoom(): void;
  close(): void;
}

/** Says why where there can be none: only root mounts, and not in every container. */
export function mountSmallDisk(megabytes: number): SmallDisk | string {
  const folder = mkdtempSync(join(tmpdir(), 'lamina-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    rmSync(folder, { recursive: true });
    return 'no disk can be mounted here';
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: (left) => {
      const { bavail, bsize } = statfsSync(folder);
      appendFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    close: () => {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

export function whyNoSmallDisk(): string | undefined {
  const disk = mountSmallDisk(1);
  if (typeof disk === 'string') return disk;
  disk.close();
  return undefined;
}
