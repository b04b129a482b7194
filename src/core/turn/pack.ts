/** Packing into a token budget: by relevance, each section first within its share. Pure. */

import type { Omission, TurnSection } from '../../domain/turn.ts';
import type { Layer } from '../../domain/scope.ts';
import type { TurnCandidate } from './candidate.ts';
import { sharedLayer } from './layer-mark.ts';
import { newerFirst } from './newer-first.ts';
import { BREAK_TOKENS, frameTokens, LAYERS_NOTE_TOKENS } from './render.ts';
import { sameness } from './same-text.ts';
import { cutItem, itemOf, type TurnItem } from './turn-item.ts';

/** What shares the budget: turns that were found stand among the memories, but many and long as they are beside them. */
type Sharer = TurnSection | 'episodes';

/** How the budget is divided among the sections that have something. What one leaves over is shared. */
const SHARES: Readonly<Record<Sharer, number>> = {
  memory: 2,
  episodes: 1,
  facts: 1,
  procedures: 1,
  working: 1,
  conversation: 1,
};

/** Who comes first keeps what two of them say: a turn in its place, a value under its key, a rule as a rule. */
const PRECEDENCE: readonly Sharer[] = ['conversation', 'working', 'procedures', 'memory', 'facts', 'episodes'];

function sharerOf({ section, said }: TurnCandidate): Sharer {
  return said === undefined ? section : 'episodes';
}

/** What is in the prompt, whatever memory adds. */
export interface Given {
  readonly message: string;
  /** What else the model sees. */
  readonly seen: readonly string[];
}

export interface Omitted {
  readonly candidate: TurnCandidate;
  readonly reason: Exclude<Omission, 'sensitivity' | 'absent'>;
  readonly tokens?: number | undefined;
  readonly sameAs?: string | undefined;
}

export interface Packed {
  /** In the order of the candidates. */
  readonly taken: readonly TurnItem[];
  readonly leftOut: readonly Omitted[];
  readonly tokens: number;
}

/**
 * Of each section the most relevant first, and of those that are as relevant the newest. Of a long memory that does not fit, the passage is taken that fits `query` best, and all
 * of it if there is room for that in the end. What does not fit either is passed over, and something shorter may fit after it.
 */
export function pack(
  candidates: readonly TurnCandidate[],
  given: Given,
  budget: number,
  query: string = given.message,
): Packed {
  const items = candidates.flatMap((candidate) => itemOf(candidate) ?? []);
  const bag = new Bag(given, budget, query);
  const present = PRECEDENCE.filter((sharer) => items.some((item) => sharerOf(item) === sharer));
  const shares = present.reduce((sum, sharer) => sum + SHARES[sharer], 0);
  for (const sharer of present) {
    const share = Math.floor((budget * SHARES[sharer]) / shares);
    const own = items.filter((item) => sharerOf(item) === sharer);
    for (const item of newerFirst(own)) bag.offer(item, share);
  }
  for (const item of items.toSorted(byScore)) bag.offer(item, budget);
  const leftOut = candidates.flatMap((candidate): Omitted[] => {
    const item = items.find(({ name }) => name === candidate.name);
    if (item === undefined) return [{ candidate, reason: 'empty' }];
    if (bag.taken.has(item)) return [];
    const [same, made] = [bag.sameAs(item), bag.madeOf(item)];
    const reason = same !== undefined ? 'duplicate' : made !== undefined ? 'source' : 'budget';
    return [{ candidate, reason, tokens: item.tokens, sameAs: same ?? made }];
  });
  return { taken: items.flatMap((item) => bag.taken.get(item) ?? []), leftOut, tokens: bag.tokens };
}

/** What nothing was searched for has no score, and comes after what has one; equal ones stay in their order. */
function byScore(a: TurnItem, b: TurnItem): number {
  return (b.name.score ?? -1) - (a.name.score ?? -1);
}

/** The most of the budget that goes to one passage; and what that is at least, as far as there is room. */
const EXCERPT_SHARE = 1 / 4;
const MIN_EXCERPT_TOKENS = 150;

class Bag {
  /** What is taken, by what it is taken of. */
  readonly taken: Map<TurnItem, TurnItem> = new Map();
  readonly #budget: number;
  readonly #query: string;
  readonly #used = new Map<Sharer, number>();
  /** With the groups whose lines it has. */
  readonly #begun = new Map<TurnSection, Set<Layer>>();
  /** Of turns the memories that were made of them. */
  readonly #made = new Map<string, string>();
  readonly #said = new Map<string, { readonly by: string; readonly section: TurnSection | keyof Given }>();

  constructor({ message, seen }: Given, budget: number, query: string) {
    this.#budget = budget;
    this.#query = query;
    for (const text of seen) this.#said.set(sameness(text), { by: 'seen', section: 'seen' });
    this.#said.set(sameness(message), { by: 'message', section: 'message' });
  }

  /** The first section has no break before it. */
  get tokens(): number {
    const used = [...this.#used.values()].reduce((sum, tokens) => sum + tokens, 0);
    return used === 0 ? 0 : used - BREAK_TOKENS;
  }

  /** Takes it, or else a passage of it, where that fits into the budget, and its section into its share. */
  offer(item: TurnItem, share: number): void {
    const before = this.taken.get(item);
    if (before === item) return;
    if (before === undefined && (this.sameAs(item) !== undefined || this.madeOf(item) !== undefined)) return;
    const room = this.#roomFor(item, share) + (before?.tokens ?? 0);
    if (item.tokens <= room) this.#take(item, item);
    if (item.tokens <= room || before !== undefined) return;
    const most = Math.min(room, Math.max(MIN_EXCERPT_TOKENS, Math.floor(this.#budget * EXCERPT_SHARE)));
    const passage = cutItem(item, this.#query, most);
    if (passage !== undefined) this.#take(item, passage);
  }

  /** How many tokens its line may take. */
  #roomFor(item: TurnItem, share: number): number {
    const left = this.#budget - this.tokens + (this.#begun.size === 0 ? BREAK_TOKENS : 0);
    const ofShare = share + BREAK_TOKENS - (this.#used.get(sharerOf(item)) ?? 0);
    return Math.min(left, ofShare) - this.#frameOf(item);
  }

  /** What its section needs besides its line. */
  #frameOf(item: TurnItem): number {
    const groups = this.#begun.get(item.section);
    if (groups === undefined) return frameTokens(item.section);
    const layer = sharedLayer(item);
    return layer !== undefined && groups.size === 1 && !groups.has(layer) ? LAYERS_NOTE_TOKENS : 0;
  }

  #take(item: TurnItem, taken: TurnItem): void {
    const { section, name } = item;
    const [sharer, layer] = [sharerOf(item), sharedLayer(item)];
    const cost = taken.tokens + this.#frameOf(item) - (this.taken.get(item)?.tokens ?? 0);
    this.taken.set(item, taken);
    this.#used.set(sharer, (this.#used.get(sharer) ?? 0) + cost);
    this.#begun.set(section, new Set([...(this.#begun.get(section) ?? []), ...(layer === undefined ? [] : [layer])]));
    for (const source of item.sources ?? []) this.#made.set(source, name.id ?? '');
    const key = sameness(item.content);
    if (!this.#said.has(key)) this.#said.set(key, { by: name.id ?? name.key ?? '', section });
  }

  /** Of a turn that was found: the memory in the prompt that was made of it. */
  madeOf({ name, said }: TurnItem): string | undefined {
    return said === undefined || name.id === undefined ? undefined : this.#made.get(name.id);
  }

  /**
   * What already says it. A value says more than its text, by its key, and a rule that it is one; and who says the same thing
   * twice in a conversation said it twice, but for the message that was logged before its turn.
   */
  sameAs({ section, content, isLatest = false }: TurnItem): string | undefined {
    const said = this.#said.get(sameness(content));
    if (said === undefined || section === 'working') return undefined;
    if (said.section === 'seen') return section === 'procedures' ? undefined : said.by;
    if (section !== 'conversation') return said.by;
    return isLatest || !['message', 'conversation'].includes(said.section) ? said.by : undefined;
  }
}
