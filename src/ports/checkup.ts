/** Looking at a database from outside without changing it: neither migrated nor made, whatever state it is in. */

import type { LoggedEntry } from '../domain/audit-chain.ts';
import type { ChainPosition } from './audit-log.ts';
import type { EmbeddingSpace } from './embedder.ts';
import type { StoredKey } from './key-store.ts';
import type { SpacesInUse } from './space-store.ts';

/** What the schema of a database, or of one of its files, lacks. */
export interface SchemaGap {
  /** A file; absent where there is but one schema. */
  readonly where?: string | undefined;
  /** Names of migrations that are still to be applied. */
  readonly missing: readonly string[];
  /** Set where a newer or a different Lamina has been there. */
  readonly problem?: string | undefined;
}

/** What is broken in a file or a table. */
export interface Damage {
  readonly where: string;
  readonly what: string;
}

/** How far the indexes of a tenant are from what it remembers. */
export interface Drift {
  readonly entries: number;
  readonly withoutVector: number;
  readonly withoutWords: number;
  /** Vectors and words of entries that are not there. */
  readonly strayVectors: number;
  readonly strayWords: number;
}

/** What a memory says, and the hash that it was stored with. */
export interface StoredContent {
  readonly seq: number;
  readonly id: string;
  readonly content: string;
  readonly contentHash: string;
}

export interface Checkup {
  /** The version of what it runs on. Throws where it does not answer. */
  reach(): Promise<string>;
  /** Milliseconds by the clock of the database; undefined where it has none of its own. */
  now(): Promise<number | undefined>;
  /** Only what is not as it should be. */
  schema(): Promise<readonly SchemaGap[]>;
  tenants(): Promise<readonly string[]>;
  /** Undefined where the model was never changed. */
  spaces(): Promise<SpacesInUse | undefined>;
  /** All in which there are vectors, of whichever tenant. */
  filledSpaces(): Promise<readonly EmbeddingSpace[]>;
  /** Thorough: everything is read. Stops where the signal says so, and throws its reason. */
  damage(isThorough: boolean, signal: AbortSignal): Promise<readonly Damage[]>;
  drift(tenantId: string, space: EmbeddingSpace): Promise<Drift>;
  /** In the order in which they were written, after the one with that number. */
  contents(tenantId: string, after: number, limit: number): Promise<readonly StoredContent[]>;
  /** The data keys of a tenant, where what it has is sealed. */
  dataKeys(tenantId: string): Promise<readonly StoredKey[]>;
  /** How many memories, values and facts of it are not sealed. */
  unsealed(tenantId: string): Promise<number>;
  /** API keys that have expired, and were not revoked. */
  expiredKeys(tenantId: string, at: number): Promise<number>;
  /** Runs of maintenance jobs that failed, from that time on. */
  failedRuns(tenantId: string, since: number): Promise<number>;
  /** The audit log of a tenant in the order of its chain, or without one that which outlives them. */
  audit(tenantId: string | undefined, limit: number, after: ChainPosition): Promise<readonly LoggedEntry[]>;
  /** Whether somebody leads. */
  isLed(): Promise<boolean>;
  close(): Promise<void>;
}
