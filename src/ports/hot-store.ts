/** A state store beside the database: fast, shared by all processes, and with tenants and users to be erased from it. */

import type { ArchivedState } from './archive.ts';
import type { StatePlace, StateStore } from './state-store.ts';

/** Values of a tenant, by where they lie. */
export interface StateSelection {
  /** All that lies in these namespaces. */
  readonly namespaces: readonly string[];
  /** All in namespaces that begin with one of these. */
  readonly prefixes: readonly string[];
  /** In namespaces that begin with the one, what has a key that begins with the other. */
  readonly within: { readonly prefix: string; readonly keyPrefix: string };
}

/** What lies here of a tenant as a part of its archive: to be carried elsewhere, and to come from there. */
export interface HotArchive {
  /** How many values there are that have not expired. */
  count(tenantId: string): Promise<number>;
  /** In the order of namespaces and keys, at most `limit`, after a place where given. What has expired is left out. */
  read(tenantId: string, limit: number, after?: StatePlace): Promise<ArchivedState[]>;
  /** Exactly as they are, but for what has expired; a key that is there stays. Each is one step, all of them are not. */
  write(tenantId: string, items: readonly ArchivedState[]): Promise<void>;
  /** The highest version that was ever given here; 0 where none was. */
  latestVersion(tenantId: string): Promise<number>;
  /** Has versions given from now on that are higher than this one. */
  advanceVersions(tenantId: string, version: number): Promise<void>;
}

/** Counts are of all values, also of those that nobody sees any more. Everything throws `UNAVAILABLE` when it is out of reach. */
export interface HotStore extends StateStore {
  /** Whether it can be reached, as far as is known without asking. */
  readonly isUp: boolean;
  readonly archive: HotArchive;
  countIn(tenantId: string, selection: StateSelection): Promise<number>;
  /** How many values were removed. Nothing that was there when it was called is there when it resolves. */
  eraseIn(tenantId: string, selection: StateSelection): Promise<number>;
  countTenant(tenantId: string): Promise<number>;
  /** As {@link eraseIn}, for everything that names the tenant. */
  eraseTenant(tenantId: string): Promise<number>;
  /** Throws `UNAVAILABLE` when it cannot serve. Says what is amiss where it serves, but not as well as it should. */
  check(): Promise<string | undefined>;
  /** Lets what is under way finish, and lets go of every resource. */
  close(): Promise<void>;
}
