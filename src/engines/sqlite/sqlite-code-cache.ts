/** The codes and vectors that this process holds in memory, of all tenants together: the partitions searched last, up to bounds. */

import { LRUCache } from 'lru-cache';
import { CodeKernel } from './sqlite-code-kernel.ts';
import type { CodedPartition } from './sqlite-coded-partition.ts';
import { sharesOf } from './sqlite-search-memory.ts';
import { VectorKernel } from './sqlite-vector-kernel.ts';

/** Below this many entries all vectors of a partition are held and compared, which takes no longer than the way by codes. */
export const MIN_ENTRIES = 2048;

export interface SqliteCodeOptions {
  /** Partitions with fewer entries are searched exactly, without codes. Default 2,048. */
  readonly minEntries?: number | undefined;
  /** What the codes of all tenants, and vectors of large partitions, may take in memory. */
  readonly maxBytes?: number | undefined;
  /** What the vectors of partitions without codes may take besides. */
  readonly maxVectorBytes?: number | undefined;
}

/** Codes, all vectors of a small partition, and some of a large one: those that codes are likely to bring up. */
export type Sort = 'codes' | 'vectors' | 'candidates';

export class SqliteCodeCache {
  readonly minEntries: number;
  readonly #held: LRUCache<string, CodedPartition>;
  readonly #vectors: LRUCache<string, CodedPartition>;
  readonly #kernels = new Map<number, CodeKernel | undefined>();
  readonly #vectorKernels = new Map<number, VectorKernel | undefined>();
  #tenants = 0;

  constructor(options: SqliteCodeOptions = {}) {
    const { codes, vectors } = sharesOf();
    const { minEntries = MIN_ENTRIES, maxBytes = codes, maxVectorBytes = vectors } = options;
    this.minEntries = minEntries;
    this.#held = new LRUCache({ maxSize: maxBytes });
    this.#vectors = new LRUCache({ maxSize: maxVectorBytes });
  }

  /** What is held, in bytes. */
  get size(): number {
    return this.#held.calculatedSize + this.#vectors.calculatedSize;
  }

  /** Whether there is room for so many bytes beside the codes, without letting go of anything. */
  hasRoomFor(bytes: number): boolean {
    return this.#held.calculatedSize + bytes <= this.#held.maxSize;
  }

  /** What the names of a tenant's partitions begin with, which no other tenant's do. */
  nameTenant(): string {
    this.#tenants += 1;
    return String(this.#tenants);
  }

  get(sort: Sort, name: string): CodedPartition | undefined {
    return this.#of(sort).get(name);
  }

  /** Call again when it has grown. What is larger than everything together may be is not held. */
  set(sort: Sort, name: string, partition: CodedPartition): void {
    // Of what is held already it would not change the size.
    this.#of(sort).delete(name);
    this.#of(sort).set(name, partition, { size: Math.max(1, partition.bytes) });
  }

  delete(sort: Sort, name: string): void {
    this.#of(sort).delete(name);
  }

  #of(sort: Sort): LRUCache<string, CodedPartition> {
    return sort === 'vectors' ? this.#vectors : this.#held;
  }

  /** For codes of this length; undefined where they cannot be compared. */
  kernel(codeBytes: number): CodeKernel | undefined {
    if (!this.#kernels.has(codeBytes))
      this.#kernels.set(
        codeBytes,
        ifAble(() => new CodeKernel(codeBytes)),
      );
    return this.#kernels.get(codeBytes);
  }

  /** For vectors of so many dimensions; undefined where they cannot be compared outside of SQLite. */
  vectorKernel(dimensions: number): VectorKernel | undefined {
    if (!this.#vectorKernels.has(dimensions)) this.#vectorKernels.set(dimensions, vectorKernelOf(dimensions));
    return this.#vectorKernels.get(dimensions);
  }
}

function vectorKernelOf(dimensions: number): VectorKernel | undefined {
  return dimensions % 4 === 0 && dimensions > 0 ? ifAble(() => new VectorKernel(dimensions)) : undefined;
}

/** Undefined on a processor without the instructions that it takes. */
function ifAble<Kernel>(make: () => Kernel): Kernel | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
