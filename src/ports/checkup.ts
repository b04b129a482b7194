/** Examining a database without changing it: it is neither migrated nor created, whatever its state. */

import type { LoggedEntry } from '../domain/audit-chain.ts';
import type { ChainPosition } from './audit-log.ts';
import type { EmbeddingSpace } from './embedder.ts';
import type { StoredKey } from './key-store.ts';
import type { SpacesInUse } from './space-store.ts';

/** What the schema of a database, or of one of its files, lacks. */
export interface SchemaGap {
  /** A file; absent if there is only one schema. */
  readonly where?: string | undefined;
  /** Names of migrations that are still to be applied. */
  readonly missing: readonly string[];
  /** Set if a newer or different Lamina has used it. */
  readonly problem?: string | undefined;
}

/** What is broken in a file or a table. */
export interface Damage {
  readonly where: string;
  readonly what: string;
}

/** How far the indexes of a tenant deviate from its entries. */
export interface Drift {
  readonly entries: number;
  readonly withoutVector: number;
  readonly withoutWords: number;
  /** Vectors and words of entries that do not exist. */
  readonly strayVectors: number;
  readonly strayWords: number;
}

/** The content of a memory, and the hash that it was stored with. */
export interface StoredContent {
  readonly seq: number;
  readonly id: string;
  readonly content: string;
  readonly contentHash: string;
}

export interface Checkup {
  /** The version of the database. Throws if it does not answer. */
  reach(): Promise<string>;
  /** Milliseconds by the clock of the database; undefined if it has none. */
  now(): Promise<number | undefined>;
  /** Only what is wrong. */
  schema(): Promise<readonly SchemaGap[]>;
  tenants(): Promise<readonly string[]>;
  /** Undefined if the model was never changed. */
  spaces(): Promise<SpacesInUse | undefined>;
  /** All spaces that hold vectors, of any tenant. */
  filledSpaces(): Promise<readonly EmbeddingSpace[]>;
  /** Thorough: reads everything. Stops on the signal, and throws its reason. */
  damage(isThorough: boolean, signal: AbortSignal): Promise<readonly Damage[]>;
  drift(tenantId: string, space: EmbeddingSpace): Promise<Drift>;
  /** In write order, after the one with that number. */
  contents(tenantId: string, after: number, limit: number): Promise<readonly StoredContent[]>;
  /** The data keys of a tenant, if it is sealed. */
  dataKeys(tenantId: string): Promise<readonly StoredKey[]>;
  /** How many memories, values and facts of it are not sealed. */
  unsealed(tenantId: string): Promise<number>;
  /** API keys that have expired and were not revoked. */
  expiredKeys(tenantId: string, at: number): Promise<number>;
  /** Failed runs of maintenance jobs, from that time on. */
  failedRuns(tenantId: string, since: number): Promise<number>;
  /** The audit log of a tenant in the order of its chain; without a tenant, the log that outlives tenants. */
  audit(tenantId: string | undefined, limit: number, after: ChainPosition): Promise<readonly LoggedEntry[]>;
  /** Whether there is a leader. */
  isLed(): Promise<boolean>;
  close(): Promise<void>;
}
