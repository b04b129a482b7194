/** What entries of a context said at one time, and whether two states of one say the same. */

import { isDeepStrictEqual } from 'node:util';
import { EDITED_BY_FIELD } from '../../domain/context-entry.ts';
import type { SnapshotItem } from '../../domain/context.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Dependencies } from '../dependencies.ts';
import type { OpenContext } from './open-context.ts';

/** An entry as a snapshot holds it. */
export function itemOf({ id, externalId, version, contentHash, status }: Entry): SnapshotItem {
  return { entryId: id, key: externalId ?? '', version, contentHash, isArchived: status === 'archived' };
}

/** Reads past states; the history of each entry once. */
export class EntryStates {
  readonly #dependencies: Dependencies;
  readonly #place: OpenContext;
  readonly #current: ReadonlyMap<string, Entry>;
  readonly #past = new Map<string, Promise<readonly Entry[]>>();

  constructor(dependencies: Dependencies, place: OpenContext, current: readonly Entry[]) {
    this.#dependencies = dependencies;
    this.#place = place;
    this.#current = new Map(current.map((entry) => [entry.id, entry]));
  }

  /** The entry as it is; undefined where it was deleted. */
  current(entryId: string): Entry | undefined {
    return this.#current.get(entryId);
  }

  /** Undefined where the entry was deleted. */
  async at({ entryId, version }: Pick<SnapshotItem, 'entryId' | 'version'>): Promise<Entry | undefined> {
    const current = this.#current.get(entryId);
    if (current === undefined || current.version === version) return current;
    return (await this.#history(entryId)).find((state) => state.version === version);
  }

  #history(entryId: string): Promise<readonly Entry[]> {
    let past = this.#past.get(entryId);
    if (past === undefined) {
      const { entries } = this.#dependencies;
      past = entries.history(this.#place.owner, entryId).then((versions) => versions.map(({ memory }) => memory));
      this.#past.set(entryId, past);
    }
    return past;
  }
}

/** Whoever wrote it, whenever, and whether it is archived. */
export function saysTheSame(a: Entry, b: Entry): boolean {
  return isDeepStrictEqual(saidBy(a), saidBy(b));
}

function saidBy(entry: Entry): Record<string, unknown> {
  const { [EDITED_BY_FIELD]: _editor, ...metadata } = entry.metadata;
  const { content, tags, source, sensitivity, importance, confidence, relevance, decayFactor } = entry;
  const { knowledgePointer, validFrom, validTo, expiresAt } = entry;
  return {
    content,
    metadata,
    tags,
    source,
    sensitivity,
    importance,
    confidence,
    relevance,
    decayFactor,
    knowledgePointer,
    validFrom,
    validTo,
    expiresAt,
  };
}
