/** Ranking what was changed since a moment beside what was not: by the same statistics, words and vectors as then. */

import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Candidate, Said, TextStatistics } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { indexedLexemes } from '../remember/content.ts';
import { isIn, keysOf, readChanges, type Changes, type PastReach, type PastVersion } from './as-of-changes.ts';
import { hasSameText, vectorsThen } from './as-of-vectors.ts';
import type { Bm25 } from './bm25.ts';
import { dot } from './similarity.ts';

/** How many changed memories a search looks at, and how many of their former texts it embeds for it. */
const MAX_CHANGED = 1000;
const MAX_EMBEDDED = 500;

/** How far the second look reaches back before the first: clocks differ, and what is written last is not seen first. */
const OVERLAP_MS = 5000;

/** No id comes before it. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A version with what the ranking knows of it. */
export interface PastCandidate extends PastVersion {
  readonly candidate: Candidate;
  readonly vector: Float32Array | undefined;
}

/** What a search looks for in versions. */
export interface PastProbe {
  readonly words: Bm25 | undefined;
  readonly vector: Float32Array | undefined;
  /** Whether words are looked at too, so that it can go on without vectors. */
  readonly isHybrid: boolean;
}

type Needs = Pick<Dependencies, 'entries' | 'embedder' | 'clock'>;

export class PastCandidates {
  readonly #needs: Needs;
  readonly #principal: Principal;
  readonly #reach: PastReach;
  readonly #changes: Changes;
  readonly #readAt: number;
  readonly #lexemes = new WeakMap<Entry, readonly string[]>();

  private constructor(needs: Needs, principal: Principal, reach: PastReach, changes: Changes, readAt: number) {
    this.#needs = needs;
    this.#principal = principal;
    this.#reach = reach;
    this.#changes = changes;
    this.#readAt = readAt;
  }

  /** To be read before any index: what is changed after that, {@link find} reads. */
  static async read(needs: Needs, principal: Principal, reach: PastReach): Promise<PastCandidates> {
    const readAt = needs.clock.now();
    // One more tells whether there are more.
    const changes = await readChanges(needs.entries, principal, reach, MAX_CHANGED + 1);
    return new PastCandidates(needs, principal, reach, changes, readAt);
  }

  /** The statistics of the present, with every change taken back. What was added or deleted since still counts. */
  statistics(present: TextStatistics, lexemes: readonly string[]): TextStatistics {
    const keys = keysOf(this.#reach.unchanged.partitions);
    let { documents, episodes } = present;
    let length = documents * present.averageLength;
    const frequencies = [...present.documentFrequencies];
    const count = (entry: Entry, by: 1 | -1): void => {
      const words = this.#lexemesOf(entry);
      const distinct = new Set(words);
      documents += by;
      if (entry.kind === 'episodic') episodes += by;
      length += by * words.length;
      lexemes.forEach((lexeme, index) => {
        if (distinct.has(lexeme)) frequencies[index] = Math.max(0, (frequencies[index] ?? 0) + by);
      });
    };
    for (const { now, former } of this.#changes.read) {
      if (former && isIn(keys, former)) count(former, 1);
      if (isIn(keys, now)) count(now, -1);
    }
    documents = Math.max(0, documents);
    return {
      documents,
      averageLength: documents === 0 ? 0 : Math.max(0, length) / documents,
      episodes: Math.max(0, episodes),
      documentFrequencies: frequencies,
    };
  }

  /** Whatever has one of the words, or a vector. Throws `EMBEDDING_FAILED` where there is nothing to go on with. */
  async find(probe: PastProbe, warnings: string[]): Promise<PastCandidate[]> {
    const versions = await this.#versions();
    if (this.#changes.isFull) {
      warnings.push(`More than ${MAX_CHANGED} memories were changed since then; not all of them were searched.`);
    }
    const matched = versions.map((version) => this.#matched(version, probe.words));
    const vectors = await this.#vectorsOf(matched, probe, warnings);
    return matched.flatMap(({ candidate, ...version }) => {
      const vector = vectors.get(candidate.id);
      if (vector === undefined && !hasAnyTerm(candidate)) return [];
      const similarity = probe.vector && vector && dot(probe.vector, vector);
      return [{ ...version, vector, candidate: similarity === undefined ? candidate : { ...candidate, similarity } }];
    });
  }

  /** With those that were changed between the first look and now: an index would no longer have given them. */
  async #versions(): Promise<readonly PastVersion[]> {
    const { versions, isFull } = this.#changes;
    if (isFull) return versions;
    const since = this.#readAt - OVERLAP_MS;
    const position = since > this.#reach.at ? { updatedAt: since, id: FIRST_ID } : undefined;
    const late = await readChanges(this.#needs.entries, this.#principal, this.#reach, MAX_CHANGED, position);
    // What was changed once more is there twice, and stood as the same both times.
    return [...new Map([...versions, ...late.versions].map((version) => [version.now.id, version])).values()];
  }

  #matched({ now, former }: PastVersion, words: Bm25 | undefined): PastVersion & { readonly candidate: Candidate } {
    const lexemes = words ? this.#lexemesOf(former) : [];
    const counts = new Map<string, number>();
    for (const lexeme of lexemes) counts.set(lexeme, (counts.get(lexeme) ?? 0) + 1);
    const { id, layer, contentHash, importance, confidence, validFrom, createdAt } = former;
    const since = Date.parse(validFrom ?? createdAt);
    const frequencies = (words?.terms ?? []).map(({ lexeme }) => counts.get(lexeme) ?? 0);
    const known = { id, layer, contentHash, importance, confidence, since, length: lexemes.length, frequencies };
    const said = saidOf(former);
    return { now, former, candidate: said ? { ...known, said } : known };
  }

  /** Of too many, those whose words promise the most. */
  async #vectorsOf(
    matched: readonly (PastVersion & { readonly candidate: Candidate })[],
    { words, vector, isHybrid }: PastProbe,
    warnings: string[],
  ): Promise<ReadonlyMap<string, Float32Array>> {
    if (vector === undefined) return new Map();
    const coverage = ({ candidate: { length, frequencies } }: { candidate: Candidate }): number =>
      words?.coverage(length, frequencies) ?? 0;
    const same = matched.filter(hasSameText);
    const others = matched.filter((version) => !hasSameText(version)).toSorted((a, b) => coverage(b) - coverage(a));
    const left = others.length - MAX_EMBEDDED;
    if (left > 0) warnings.push(`${left} texts that were changed since then were not compared by meaning.`);
    try {
      return await vectorsThen(this.#needs, this.#principal, [...same, ...others.slice(0, MAX_EMBEDDED)]);
    } catch (error) {
      if (!isHybrid || !(error instanceof LaminaError)) throw error;
      warnings.push('Texts that were changed since then could not be embedded; only their words were searched.');
      return vectorsThen(this.#needs, this.#principal, same);
    }
  }

  #lexemesOf(entry: Entry): readonly string[] {
    const known = this.#lexemes.get(entry);
    if (known) return known;
    const lexemes = indexedLexemes(entry);
    this.#lexemes.set(entry, lexemes);
    return lexemes;
  }
}

function hasAnyTerm({ frequencies }: Candidate): boolean {
  return frequencies.some((count) => count > 0);
}

/** What engines tell of an episode, with all that it says. */
function saidOf({ kind, identifiers: { sessionId }, turn, speaker, content }: Entry): Said | undefined {
  if (kind !== 'episodic') return undefined;
  return { sessionId, turn, speaker, ending: content };
}
