/** One end of a transfer by bundle: a tenant whose items are read or written, be it in a database or behind a service. */

import type { Collection } from '../../domain/archive.ts';
import type { BundleCounts } from '../../domain/bundle.ts';
import type { BundleItem } from '../../domain/bundle-item.ts';

export interface BundleSurvey {
  readonly tenantId: string;
  readonly counts: BundleCounts;
  /** The highest version that was ever given to state or a record, or a higher one. */
  readonly latestVersion: number;
}

export interface BundlePage {
  readonly collection: Collection;
  readonly items: readonly { readonly [name: string]: unknown }[];
}

export interface BundleEnd {
  /** What it gives and takes, in the order of `COLLECTIONS`. */
  readonly collections: readonly Collection[];
  survey(): Promise<BundleSurvey>;
  /** Everything, one collection after another. What is written meanwhile may or may not be included. */
  pages(vectors: boolean): AsyncIterable<BundlePage>;
  /** Makes all future versions higher than this one. */
  advanceVersions(version: number): Promise<void>;
  /** What is there already stays as it is. How many of the entries were embedded. Durable once it resolves. */
  write(collection: Collection, items: readonly BundleItem[]): Promise<number>;
}
