/** What the numbers were taken on; nothing that says whose machine it is. */

import { availableParallelism, totalmem } from 'node:os';
import Sqlite from 'better-sqlite3';
import { isInMemory } from './temporary-folder.ts';

export interface Machine {
  readonly cores: number;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  readonly sqlite: string;
  /** True where nothing reaches a disk, and durable writes look faster than they are. */
  readonly isInMemory: boolean;
}

export function machineOf(folder: string): Machine {
  const db = new Sqlite(':memory:');
  const sqlite = String(db.prepare('SELECT sqlite_version()').pluck().get());
  db.close();
  return {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    sqlite,
    isInMemory: isInMemory(folder),
  };
}
