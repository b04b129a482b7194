/** The one place that the benchmark writes to. */

import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What Linux calls its file systems in memory: tmpfs and ramfs. */
const IN_MEMORY = [0x01021994, 0x858458f6];

/** A new folder that goes away with the process, also when it is interrupted. */
export function temporaryFolder(parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'lamina-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, number] of [['SIGINT', 2] as const, ['SIGTERM', 15] as const]) {
    process.once(signal, () => process.exit(128 + number));
  }
  return folder;
}

/** Where nothing is flushed to a disk, durable writes look faster than they are. */
export function isInMemory(folder: string): boolean {
  return IN_MEMORY.includes(statfsSync(folder).type);
}
