/** The entries of a context: written, read, weighed, archived, found and deleted by those who may. */

import type {
  ChangeContextEntryInput,
  ContextEntry,
  ContextEntryKeyInput,
  ContextEntryVersionsOutput,
  ListContextEntriesInput,
  ListContextEntriesOutput,
  PutContextEntryInput,
  PutContextEntryOutput,
  SearchContextInput,
  SearchContextOutput,
  WeighContextEntryInput,
} from '../../domain/context-entry.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { archiveEntry, removeEntry } from './keep-entry.ts';
import { putEntry } from './put-entry.ts';
import { entryVersions, getEntry, listEntries, searchEntries } from './read-entries.ts';
import { weighEntry } from './weigh-entry.ts';

/**
 * A context that the principal may not read does not exist for it: `NOT_FOUND`, or null for a lookup. Writing to one that
 * it may only read, or to an archived one, is `FORBIDDEN`.
 */
export interface ContextEntries {
  /** By key. Throws `VERSION_CONFLICT`. */
  put(principal: Principal, input: PutContextEntryInput): Promise<PutContextEntryOutput>;
  get(principal: Principal, input: ContextEntryKeyInput): Promise<ContextEntry | null>;
  list(principal: Principal, input: ListContextEntriesInput): Promise<ListContextEntriesOutput>;
  /** For good, with its history. False when it was not there. Throws `VERSION_CONFLICT`. */
  delete(principal: Principal, input: ChangeContextEntryInput): Promise<boolean>;
  /** Throws `NOT_FOUND`, as do the next four. */
  versions(principal: Principal, input: ContextEntryKeyInput): Promise<ContextEntryVersionsOutput>;
  /** Concurrent calls all count. */
  boost(principal: Principal, input: WeighContextEntryInput): Promise<ContextEntry>;
  reduce(principal: Principal, input: WeighContextEntryInput): Promise<ContextEntry>;
  archive(principal: Principal, input: ChangeContextEntryInput): Promise<ContextEntry>;
  unarchive(principal: Principal, input: ChangeContextEntryInput): Promise<ContextEntry>;
  search(principal: Principal, input: SearchContextInput): Promise<SearchContextOutput>;
}

export function createContextEntries(dependencies: Dependencies): ContextEntries {
  return {
    put: (principal, input) => putEntry(dependencies, principal, input),
    get: (principal, input) => getEntry(dependencies, principal, input),
    list: (principal, input) => listEntries(dependencies, principal, input),
    delete: (principal, input) => removeEntry(dependencies, principal, input),
    versions: (principal, input) => entryVersions(dependencies, principal, input),
    boost: (principal, input) => weighEntry(dependencies, principal, input, 'boost'),
    reduce: (principal, input) => weighEntry(dependencies, principal, input, 'reduce'),
    archive: (principal, input) => archiveEntry(dependencies, principal, input, true),
    unarchive: (principal, input) => archiveEntry(dependencies, principal, input, false),
    search: (principal, input) => searchEntries(dependencies, principal, input),
  };
}
