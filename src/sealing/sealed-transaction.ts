/** A transaction over sealed entries. */

import { closedEntry, unreadable } from '../domain/closed-entry.ts';
import type { Entry } from '../domain/entry.ts';
import type {
  Embedding,
  EntryTransaction,
  EntryWrite,
  Identity,
  Nearest,
  Position,
  Reach,
  Selection,
} from '../ports/entry-store.ts';
import type { FactTransaction } from '../ports/fact-store.ts';
import { openedEntryOrNone, openedTexts, sealedEntry } from './sealed-entry.ts';
import { SealedFactTransaction } from './sealed-facts.ts';
import { findSame, listed, newestFirst } from './sealed-reads.ts';
import { merged, sealedSelections } from './sealed-selection.ts';
import type { TenantKeys } from './tenant-keys.ts';

export class SealedTransaction implements EntryTransaction {
  readonly #keys: TenantKeys;
  readonly #tx: EntryTransaction;
  /** What could not be opened: it can be removed, and nothing can be made of it. */
  readonly #closed = new Set<string>();
  readonly facts: FactTransaction;

  constructor(keys: TenantKeys, tx: EntryTransaction) {
    this.#keys = keys;
    this.#tx = tx;
    this.facts = new SealedFactTransaction(keys, tx.facts);
  }

  findSame(identities: readonly Identity[]): Promise<(Entry | null)[]> {
    return findSame(this.#keys, (each) => this.#tx.findSame(each), identities);
  }

  async find(ids: readonly string[]): Promise<Entry[]> {
    return (await this.#tx.find(ids)).map((entry) => this.#opened(entry));
  }

  async list(selection: Selection, limit: number, position?: Position): Promise<Entry[]> {
    const read = (each: Selection): Promise<Entry[]> => this.#tx.list(each, limit, position);
    const page = await listed(this.#keys, selection, limit, read, newestFirst);
    return page.map((entry) => this.#opened(entry));
  }

  async nearest(reach: Reach, embedding: Embedding, limit: number): Promise<Nearest[]> {
    const asked = sealedSelections(this.#keys, reach);
    const pages = await Promise.all(asked.map((each) => this.#tx.nearest(each, embedding, limit)));
    return merged(pages, (a, b) => b.similarity - a.similarity, limit);
  }

  insert(writes: readonly EntryWrite[]): Promise<void> {
    return this.#tx.insert(writes.map((write) => this.#sealed(write)));
  }

  async replace(writes: readonly EntryWrite[]): Promise<void> {
    const closed = writes.find(({ entry }) => this.#closed.has(entry.id));
    if (closed !== undefined) throw unreadable('memory', closed.entry.id);
    return this.#tx.replace(writes.map((write) => this.#sealed(write)));
  }

  async remove(ids: readonly string[]): Promise<string[]> {
    return (await this.#tx.remove(ids)).flatMap((text) => openedTexts(this.#keys, text));
  }

  #opened(entry: Entry): Entry {
    const opened = openedEntryOrNone(this.#keys, entry);
    if (opened !== undefined) return opened;
    this.#closed.add(entry.id);
    return closedEntry(entry);
  }

  #sealed(write: EntryWrite): EntryWrite {
    const lexemes = write.lexemes.map((lexeme) => this.#keys.marks.word(lexeme));
    return { ...write, entry: sealedEntry(this.#keys, write.entry), lexemes };
  }
}
