/** Entries, sealed on their way to an engine and opened on their way back. */

import type { Partition } from '../domain/access.ts';
import type { Version } from '../domain/browse.ts';
import { closedEntry } from '../domain/closed-entry.ts';
import type { Entry } from '../domain/entry.ts';
import type { Principal } from '../domain/principal.ts';
import type { Layer, Scope } from '../domain/scope.ts';
import type { EmbeddingSpace } from '../ports/embedder.ts';
import type {
  Candidate,
  Changed,
  ChangePosition,
  Entries,
  EntryTransaction,
  Identity,
  Moment,
  Position,
  Probe,
  Reach,
  Selection,
  TextStatistics,
} from '../ports/entry-store.ts';
import type { Keyring } from './keyring.ts';
import { openedEntries, openedEntryOrNone, openedHash, openedSaid } from './sealed-entry.ts';
import { findSame, latestFirst, listed, newestFirst, readOn, sinceOf } from './sealed-reads.ts';
import { foldedCounts, foldedStatistics, sealedSelections, sealedWords } from './sealed-selection.ts';
import { openedOrNone } from './sealed-text.ts';
import { SealedTransaction } from './sealed-transaction.ts';
import type { TenantKeys } from './tenant-keys.ts';

/** More than a sealed content can have: to know how it ends, it has to be opened as a whole. */
const WHOLE = 100_000_000;

export class SealedEntries implements Entries {
  readonly #entries: Entries;
  readonly #keyring: Keyring;

  constructor(entries: Entries, keyring: Keyring) {
    this.#entries = entries;
    this.#keyring = keyring;
  }

  transaction<T>(principal: Principal, work: (tx: EntryTransaction) => Promise<T>): Promise<T> {
    return this.#keyring.writing(principal.tenantId, (keys) =>
      this.#entries.transaction(principal, async (tx) => {
        const value = await work(new SealedTransaction(keys, tx));
        this.#keyring.assertRecent(keys);
        return value;
      }),
    );
  }

  findSame(principal: Principal, identities: readonly Identity[]): Promise<(Entry | null)[]> {
    return this.#reading(principal, (keys) =>
      findSame(keys, (each) => this.#entries.findSame(principal, each), identities),
    );
  }

  find(principal: Principal, ids: readonly string[]): Promise<Entry[]> {
    return this.#reading(principal, async (keys) => openedEntries(keys, await this.#entries.find(principal, ids)));
  }

  unreadable(principal: Principal, ids: readonly string[]): Promise<Entry[]> {
    return this.#reading(principal, async (keys) =>
      (await this.#entries.find(principal, ids))
        .filter((entry) => openedEntryOrNone(keys, entry) === undefined)
        .map(closedEntry),
    );
  }

  list(principal: Principal, selection: Selection, limit: number, position?: Position): Promise<Entry[]> {
    return this.#reading(principal, (keys) =>
      readOn(
        limit,
        position,
        (size, place) =>
          listed(keys, selection, size, (each) => this.#entries.list(principal, each, size, place), newestFirst),
        ({ createdAt, id }) => ({ createdAt: Date.parse(createdAt), id }),
        (entry) => openedEntryOrNone(keys, entry),
      ),
    );
  }

  timeline(principal: Principal, selection: Selection, limit: number, moment?: Moment): Promise<Entry[]> {
    return this.#reading(principal, (keys) =>
      readOn(
        limit,
        moment,
        (size, place) =>
          listed(keys, selection, size, (each) => this.#entries.timeline(principal, each, size, place), latestFirst),
        (entry) => ({ since: sinceOf(entry), id: entry.id }),
        (entry) => openedEntryOrNone(keys, entry),
      ),
    );
  }

  count(principal: Principal, selection: Selection): Promise<number> {
    return this.#reading(principal, async (keys) => {
      const counts = sealedSelections(keys, selection).map((each) => this.#entries.count(principal, each));
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    });
  }

  personalScopes(principal: Principal, layer: Layer, userId: string, shelf?: 'quarantined'): Promise<Scope[]> {
    return this.#entries.personalScopes(principal, layer, userId, shelf);
  }

  history(principal: Principal, id: string): Promise<Version[]> {
    return this.#reading(principal, async (keys) => {
      const versions = await this.#entries.history(principal, id);
      return versions.flatMap((version) => {
        const memory = openedEntryOrNone(keys, version.memory);
        return memory === undefined ? [] : [{ ...version, memory }];
      });
    });
  }

  changed(
    principal: Principal,
    partitions: readonly Partition[],
    at: number,
    limit: number,
    position?: ChangePosition,
  ): Promise<Changed[]> {
    return this.#reading(principal, (keys) =>
      readOn(
        limit,
        position,
        (size, place) => this.#entries.changed(principal, partitions, at, size, place),
        ({ now: { updatedAt, id } }) => ({ updatedAt: Date.parse(updatedAt), id }),
        (change) => openedChange(keys, change),
      ),
    );
  }

  touch(principal: Principal, ids: readonly string[]): void {
    this.#entries.touch(principal, ids);
  }

  textStatistics(
    principal: Principal,
    partitions: readonly Partition[],
    lexemes: readonly string[],
  ): Promise<TextStatistics> {
    return this.#reading(principal, async (keys) => {
      const asked = sealedWords(keys, lexemes, (lexeme) => keys.marks.word(lexeme));
      return foldedStatistics(await this.#entries.textStatistics(principal, partitions, asked), lexemes.length);
    });
  }

  candidates(principal: Principal, reach: Reach, probe: Probe, limit: number): Promise<Candidate[]> {
    return this.#reading(principal, async (keys) => {
      if (!keys.isThere) return this.#entries.candidates(principal, reach, probe, limit);
      const mark = <T extends Probe['terms'][number]>(term: T): T => ({
        ...term,
        lexeme: keys.marks.word(term.lexeme),
      });
      const asked: Probe = { ...probe, terms: sealedWords(keys, probe.terms, mark), endings: WHOLE };
      const pages = await Promise.all(
        sealedSelections(keys, reach).map((each) => this.#entries.candidates(principal, each, asked, limit)),
      );
      return pages.flat().flatMap((candidate) => openedOrNone(() => openedCandidate(keys, candidate, probe)) ?? []);
    });
  }

  vectors(principal: Principal, space: EmbeddingSpace, ids: readonly string[]): Promise<Map<string, Float32Array>> {
    return this.#entries.vectors(principal, space, ids);
  }

  #reading<T>({ tenantId }: Principal, work: (keys: TenantKeys) => Promise<T>): Promise<T> {
    return this.#keyring.reading(tenantId, work);
  }
}

function openedChange(keys: TenantKeys, { now, former }: Changed): Changed | undefined {
  const entry = openedEntryOrNone(keys, now);
  return entry && { now: entry, former: (former && openedEntryOrNone(keys, former)) ?? null };
}

function openedCandidate(keys: TenantKeys, candidate: Candidate, { terms, endings = 1 }: Probe): Candidate {
  const { said, frequencies } = candidate;
  const opened = said && openedSaid(keys, said.ending);
  return {
    ...candidate,
    contentHash: openedHash(keys, candidate.contentHash),
    frequencies: foldedCounts(frequencies, terms.length),
    ...(said && {
      said: {
        ...said,
        ...(opened && { speaker: opened.speaker }),
        ending: endOf(opened?.content ?? said.ending, endings),
      },
    }),
  };
}

/** By characters, as databases count them. */
function endOf(text: string, characters: number): string {
  const end = text.slice(-2 * characters);
  return Array.from(end).slice(-characters).join('');
}
