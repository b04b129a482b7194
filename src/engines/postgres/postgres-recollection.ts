/**
 * One search. Of a reach that is held whole it is counted, compared and chosen in memory. Whether that is all still so, and still there for
 * this principal, the database says behind its policies, in the statement that reads what was found. Of one that is not held yet, as much as
 * was foreseen is answered by one statement.
 */

import type { Partition } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { OutdatedRecollection } from '../../domain/outdated-recollection.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Candidate, Foreseen, Probe, Reach, Recollection, TextStatistics } from '../../ports/entry-store.ts';
import { caughtUp } from './postgres-catching-up.ts';
import { averageOf, chosenOf, sumOf, type Found } from './postgres-choice.ts';
import { ENTRY_COLUMNS, entryOf, WITH_ACCESSES, type EntryRow } from './postgres-entry-row.ts';
import type { PostgresForesight } from './postgres-foresight.ts';
import { keysOf, partitionsBy } from './postgres-page.ts';
import { MAX_POSTINGS } from './postgres-search.ts';
import { normOf, type SettledPartition } from './postgres-settled-partition.ts';
import { stampsOf, type PostgresSettled, type SettledReach } from './postgres-settled.ts';
import type { PostgresSpaces } from './postgres-spaces.ts';
import type { Ask } from './postgres-statement.ts';
import type { Surprises } from './surprises.ts';

/** One row at least. */
const SELECT_WITH_STAMPS = `
  SELECT r.stamps, e.* FROM (
    SELECT string_agg(p.stamp, ',' ORDER BY p.id) AS stamps FROM ${partitionsBy('$3::text[]')}) r
  LEFT JOIN (
    SELECT ${ENTRY_COLUMNS} FROM lamina.entries e ${WITH_ACCESSES}
    WHERE e.id = ANY ($1::uuid[]) AND (e.expires_at IS NULL OR e.expires_at > $2::bigint)) e ON true`;

interface StampedRow extends Omit<EntryRow, 'id'> {
  /** Of all partitions; null where there are none. */
  readonly stamps: string | null;
  /** Null where there is no entry. */
  readonly id: string | null;
}

/** The store, and what is remembered of it. */
export interface RecollectionOf {
  readonly entries: Recollection;
  readonly clock: Clock;
  readonly spaces: PostgresSpaces;
  readonly settled: PostgresSettled;
  readonly surprises: Surprises;
  readonly askingFor: (principal: Principal) => Ask;
  /** Undefined where a search is better asked without. */
  readonly foresight: (
    principal: Principal,
    partitions: readonly Partition[],
    foreseen: Foreseen,
  ) => Promise<PostgresForesight | undefined>;
}

export class PostgresRecollection implements Recollection {
  readonly #of: RecollectionOf;
  /** What this search was told of. */
  #told: SettledReach | undefined;
  /** Whether the database has told of it for this search. */
  #isCurrent = false;
  #foreseen: Foreseen | undefined;
  #partitions: readonly Partition[] | undefined;
  /** Of a reach that is not held. */
  #foresight: PostgresForesight | undefined;

  constructor(of: RecollectionOf) {
    this.#of = of;
  }

  /** What is held is answered faster without. */
  foresees(principal: Principal, { partitions, ...conditions }: Reach): boolean {
    const { settled, surprises } = this.#of;
    if (isConditional(conditions)) return false;
    return !settled.ofPrincipal(principal).findOutdated(keysOf(partitions)) && !surprises.areLikely(principal);
  }

  foresee(foreseen: Foreseen): void {
    this.#foreseen = foreseen;
  }

  async textStatistics(
    principal: Principal,
    partitions: readonly Partition[],
    lexemes: readonly string[],
  ): Promise<TextStatistics> {
    const { entries } = this.#of;
    this.#partitions = partitions;
    this.#told = await this.#reach(principal, keysOf(partitions));
    if (this.#told) return statisticsOf(this.#told, lexemes);
    this.#foresight = await this.#foresighted(principal, partitions, lexemes);
    return this.#foresight?.statistics() ?? entries.textStatistics(principal, partitions, lexemes);
  }

  async candidates(principal: Principal, reach: Reach, probe: Probe, limit: number): Promise<Candidate[]> {
    const { entries, clock } = this.#of;
    const told = this.#told;
    const found = this.#isForeseen(reach) ? this.#foresight?.candidates(probe, limit) : undefined;
    if (found !== undefined) return found;
    if (told === undefined || !this.#isHeld(told, reach, probe))
      return entries.candidates(principal, reach, probe, limit);
    const now = clock.now();
    const all = told.settled.flatMap((partition) => foundIn(partition, probe, now));
    const { terms, embedding } = probe;
    return chosenOf(all, { terms, average: averageOf(told.partitions), isByMeaning: embedding !== undefined, limit });
  }

  /** Throws {@link OutdatedRecollection}. */
  async find(principal: Principal, ids: readonly string[]): Promise<Entry[]> {
    const { entries, clock, settled, askingFor } = this.#of;
    const told = this.#told;
    if (told === undefined || this.#isCurrent) return this.#foresight?.entries(ids) ?? entries.find(principal, ids);
    const rows = await askingFor(principal)<StampedRow>(SELECT_WITH_STAMPS, [ids, clock.now(), told.keys]);
    if ((rows[0]?.stamps ?? '') !== stampsOf(told.partitions)) {
      settled.ofPrincipal(principal).disturb(told.keys);
      throw new OutdatedRecollection();
    }
    return rows.filter((row): row is StampedRow & EntryRow => row.id !== null).map(entryOf);
  }

  #isForeseen({ partitions, ...conditions }: Reach): boolean {
    return partitions === this.#partitions && !isConditional(conditions);
  }

  async #foresighted(
    principal: Principal,
    partitions: readonly Partition[],
    lexemes: readonly string[],
  ): Promise<PostgresForesight | undefined> {
    const { foresight, surprises } = this.#of;
    const foreseen = this.#foreseen;
    if (foreseen === undefined || !isOf(foreseen, lexemes)) return undefined;
    const read = await foresight(principal, partitions, foreseen);
    if (read?.isSurprise === true) surprises.note(principal);
    return read;
  }

  /** As it was when it was last asked about, and where something was written since as it is now. */
  async #reach(principal: Principal, keys: readonly string[]): Promise<SettledReach | undefined> {
    const { settled, askingFor } = this.#of;
    const held = settled.ofPrincipal(principal);
    const found = held.find(keys);
    const outdated = found ? undefined : held.findOutdated(keys);
    this.#isCurrent = outdated !== undefined;
    return outdated ? caughtUp(askingFor(principal), outdated) : found;
  }

  #isHeld(
    told: SettledReach,
    { partitions, ...conditions }: Reach,
    { terms, embedding, near, endings }: Probe,
  ): boolean {
    if (near !== undefined || isConditional(conditions)) return false;
    if (keysOf(partitions).join() !== told.keys.join() || endings !== told.endings) return false;
    if (sumOf(told.partitions, ({ entries }) => entries) * terms.length > MAX_POSTINGS) return false;
    if (embedding === undefined) return terms.length > 0;
    const norm = normOf(embedding.vector);
    return this.#of.spaces.known(embedding.space) === told.sql.spaceId && norm > 0 && norm < Infinity;
  }
}

/** Whether statistics of these lexemes are those that were foreseen. */
function isOf({ asked, former, names }: Foreseen, lexemes: readonly string[]): boolean {
  const all = [...asked, ...former, ...names];
  return all.length === lexemes.length && all.every((lexeme, index) => lexeme === lexemes[index]);
}

function isConditional(conditions: Omit<Reach, 'partitions'>): boolean {
  return Object.values(conditions).some((value) => value !== undefined);
}

function statisticsOf({ partitions, settled }: SettledReach, lexemes: readonly string[]): TextStatistics {
  const documents = sumOf(partitions, ({ entries }) => entries);
  const episodes = partitions.filter(({ key }) => key.startsWith('["episodic"'));
  return {
    documents,
    averageLength: documents === 0 ? 0 : sumOf(partitions, (each) => each.lexemes) / documents,
    episodes: sumOf(episodes, ({ entries }) => entries),
    documentFrequencies: lexemes.map((lexeme) => sumOf(settled, ({ words }) => (words.get(lexeme)?.length ?? 0) / 2)),
  };
}

/** All that has not expired. */
function foundIn(partition: SettledPartition, { terms, embedding }: Probe, now: number): Found[] {
  const { entries, words } = partition;
  const none: readonly number[] = terms.map(() => 0);
  const frequencies: number[][] = [];
  for (const [place, { lexeme }] of terms.entries()) {
    const postings = words.get(lexeme) ?? [];
    for (let at = 0; at < postings.length; at += 2) {
      const index = Number(postings[at]);
      (frequencies[index] ??= [...none])[place] = Number(postings[at + 1]);
    }
  }
  const distances = embedding && distancesIn(partition, embedding.vector);
  return entries
    .map((described, index) => ({ described, frequencies: frequencies[index] ?? none, distance: distances?.[index] }))
    .filter(({ described: { expiresAt } }) => expiresAt === null || expiresAt > now);
}

/** By cosine, as pgvector measures it. */
function distancesIn({ vectors, norms }: SettledPartition, query: Float32Array): Float64Array {
  const distances = new Float64Array(norms.length);
  const norm = normOf(query);
  for (let index = 0; index < norms.length; index += 1) {
    const cosine = product(vectors, index * query.length, query) / (norm * Number(norms[index]));
    distances[index] = 1 - Math.max(-1, Math.min(1, cosine));
  }
  return distances;
}

/** Four sums at a time: none of them waits for another. */
function product(vectors: Float32Array, start: number, query: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const whole = query.length - (query.length % 4);
  for (let index = 0; index < whole; index += 4) {
    first += Number(vectors[start + index]) * Number(query[index]);
    second += Number(vectors[start + index + 1]) * Number(query[index + 1]);
    third += Number(vectors[start + index + 2]) * Number(query[index + 2]);
    fourth += Number(vectors[start + index + 3]) * Number(query[index + 3]);
  }
  for (let index = whole; index < query.length; index += 1)
    first += Number(vectors[start + index]) * Number(query[index]);
  return first + second + third + fourth;
}
