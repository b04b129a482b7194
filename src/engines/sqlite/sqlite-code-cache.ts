/** The codes that this process holds in memory, of all tenants together: the partitions searched last, up to a bound. */

import { LRUCache } from 'lru-cache';
import { CodeKernel } from './sqlite-code-kernel.ts';
import type { CodedPartition } from './sqlite-coded-partition.ts';

/** 384 dimensions take 104 bytes an entry: this is enough for two and a half million. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Below this many entries comparing all vectors of a partition takes no longer than the way by codes, and is exact. */
const MIN_ENTRIES = 2048;

export interface SqliteCodeOptions {
  /** Partitions with fewer entries are searched exactly, without codes. Default 2,048. */
  readonly minEntries?: number | undefined;
  /** What the codes of all tenants may take in memory. Default 256 MiB. */
  readonly maxBytes?: number | undefined;
}

export class SqliteCodeCache {
  readonly minEntries: number;
  readonly #held: LRUCache<string, CodedPartition>;
  readonly #kernels = new Map<number, CodeKernel>();
  #tenants = 0;

  constructor({ minEntries = MIN_ENTRIES, maxBytes = MAX_BYTES }: SqliteCodeOptions = {}) {
    this.minEntries = minEntries;
    this.#held = new LRUCache({ maxSize: maxBytes });
  }

  /** What is held, in bytes. */
  get size(): number {
    return this.#held.calculatedSize;
  }

  /** What the names of a tenant's partitions begin with, which no other tenant's do. */
  nameTenant(): string {
    this.#tenants += 1;
    return String(this.#tenants);
  }

  get(name: string): CodedPartition | undefined {
    return this.#held.get(name);
  }

  /** Call again when it has grown. What is larger than everything together may be is not held. */
  set(name: string, partition: CodedPartition): void {
    // Of what is held already it would not change the size.
    this.#held.delete(name);
    this.#held.set(name, partition, { size: Math.max(1, partition.bytes) });
  }

  has(name: string): boolean {
    return this.#held.has(name);
  }

  delete(name: string): void {
    this.#held.delete(name);
  }

  /** For codes of this length. */
  kernel(codeBytes: number): CodeKernel {
    let kernel = this.#kernels.get(codeBytes);
    if (kernel === undefined) {
      kernel = new CodeKernel(codeBytes);
      this.#kernels.set(codeBytes, kernel);
    }
    return kernel;
  }
}
