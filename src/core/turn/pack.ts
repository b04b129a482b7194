/** Packing into a token budget: by relevance, each section first within its share. Pure. */

import type { Omission, TurnSection } from '../../domain/turn.ts';
import type { Layer } from '../../domain/scope.ts';
import type { TurnCandidate } from './candidate.ts';
import { sharedLayer } from './layer-mark.ts';
import { BREAK_TOKENS, frameTokens, LAYERS_NOTE_TOKENS, lineOf, lineTokens } from './render.ts';
import { sameness } from './same-text.ts';

/** What shares the budget: turns that were found stand among the memories, but many and long as they are beside them. */
type Sharer = TurnSection | 'episodes';

/** How the budget is divided between those that have something. What one leaves over is for all. */
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

export interface TurnItem extends TurnCandidate {
  readonly line: string;
  readonly tokens: number;
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

/** Of each section the most relevant first. What does not fit is passed over, and something shorter may fit after it. */
export function pack(candidates: readonly TurnCandidate[], given: Given, budget: number): Packed {
  const items = candidates.flatMap((candidate) => itemOf(candidate) ?? []);
  const bag = new Bag(given, budget);
  const present = PRECEDENCE.filter((sharer) => items.some((item) => sharerOf(item) === sharer));
  const shares = present.reduce((sum, sharer) => sum + SHARES[sharer], 0);
  for (const sharer of present) {
    const share = Math.floor((budget * SHARES[sharer]) / shares);
    for (const item of items) if (sharerOf(item) === sharer) bag.offer(item, share);
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
  return { taken: items.filter((item) => bag.taken.has(item)), leftOut, tokens: bag.tokens };
}

function itemOf(candidate: TurnCandidate): TurnItem | undefined {
  const line = lineOf(candidate);
  return line === undefined ? undefined : { ...candidate, line, tokens: lineTokens(line) };
}

/** What nothing was searched for has no score, and comes after what has one; equal ones stay in their order. */
function byScore(a: TurnItem, b: TurnItem): number {
  return (b.name.score ?? -1) - (a.name.score ?? -1);
}

class Bag {
  readonly taken: Set<TurnItem> = new Set();
  readonly #budget: number;
  readonly #used = new Map<Sharer, number>();
  /** With the groups whose lines it has. */
  readonly #begun = new Map<TurnSection, Set<Layer>>();
  /** Of turns the memories that were made of them. */
  readonly #made = new Map<string, string>();
  readonly #said = new Map<string, { readonly by: string; readonly section: TurnSection | keyof Given }>();

  constructor({ message, seen }: Given, budget: number) {
    this.#budget = budget;
    for (const text of seen) this.#said.set(sameness(text), { by: 'seen', section: 'seen' });
    this.#said.set(sameness(message), { by: 'message', section: 'message' });
  }

  /** The first section has no break before it. */
  get tokens(): number {
    const used = [...this.#used.values()].reduce((sum, tokens) => sum + tokens, 0);
    return used === 0 ? 0 : used - BREAK_TOKENS;
  }

  /** Takes it where it fits into the budget, and its section into its share. */
  offer(item: TurnItem, share: number): void {
    if (this.taken.has(item) || this.sameAs(item) !== undefined || this.madeOf(item) !== undefined) return;
    const { section, name, tokens } = item;
    const sharer = sharerOf(item);
    const used = this.#used.get(sharer) ?? 0;
    const groups = this.#begun.get(section);
    const layer = sharedLayer(item);
    const isSecond = layer !== undefined && groups?.size === 1 && !groups.has(layer);
    const frame = groups === undefined ? frameTokens(section) : isSecond ? LAYERS_NOTE_TOKENS : 0;
    const cost = tokens + frame;
    const total = this.tokens + cost - (this.#begun.size === 0 ? BREAK_TOKENS : 0);
    if (total > this.#budget || used + cost > share + BREAK_TOKENS) return;
    this.taken.add(item);
    this.#begun.set(section, new Set([...(groups ?? []), ...(layer === undefined ? [] : [layer])]));
    for (const source of item.sources ?? []) this.#made.set(source, name.id ?? '');
    this.#used.set(sharer, used + cost);
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
