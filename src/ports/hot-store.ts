/** A state store beside the database: fast, shared by all processes, with support for erasing tenants and users. */

import type { ArchivedState } from './archive.ts';
import type { StatePlace, StateStore } from './state-store.ts';

/** Values of a tenant, by namespace. */
export interface StateSelection {
  /** Everything in these namespaces. */
  readonly namespaces: readonly string[];
  /** Everything in namespaces with one of these prefixes. */
  readonly prefixes: readonly string[];
  /** In namespaces with the one prefix, values whose key has the other prefix. */
  readonly within: { readonly prefix: string; readonly keyPrefix: string };
}

/** The state of a tenant stored here, as a part of its archive: for export and import. */
export interface HotArchive {
  /** How many values there are that have not expired. */
  count(tenantId: string): Promise<number>;
  /** Ordered by namespace and key, at most `limit`, after a place if given. Expired values are left out. */
  read(tenantId: string, limit: number, after?: StatePlace): Promise<ArchivedState[]>;
  /** Exactly as they are, except for expired ones; existing keys stay. Each write is atomic, the whole is not. */
  write(tenantId: string, items: readonly ArchivedState[]): Promise<void>;
  /** The highest version ever given here; 0 if none. */
  latestVersion(tenantId: string): Promise<number>;
  /** Makes all future versions higher than this one. */
  advanceVersions(tenantId: string, version: number): Promise<void>;
}

/** Counts include expired values that are still stored. Everything throws `UNAVAILABLE` if it cannot be reached. */
export interface HotStore extends StateStore {
  /** Whether it can be reached, as far as known without a round trip. */
  readonly isUp: boolean;
  readonly archive: HotArchive;
  countIn(tenantId: string, selection: StateSelection): Promise<number>;
  /** How many values were removed. Nothing that existed at the call is left when it resolves. */
  eraseIn(tenantId: string, selection: StateSelection): Promise<number>;
  countTenant(tenantId: string): Promise<number>;
  /** As {@link eraseIn}, for everything that names the tenant. */
  eraseTenant(tenantId: string): Promise<number>;
  /** Throws `UNAVAILABLE` if it cannot serve. If it serves in a degraded way, says why. */
  check(): Promise<string | undefined>;
  /** Lets pending calls finish, and releases every resource. */
  close(): Promise<void>;
}
