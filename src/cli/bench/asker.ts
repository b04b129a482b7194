/** Asking questions about a conversation in several ways, and seeing where what answers them stands. */

import type { MeasuredMemory } from '../../compose/measured-memory.ts';
import { LaminaError } from '../../domain/error.ts';
import { fuseRanks } from './rank-fusion.ts';
import type { RecallQuestion, RecallTurn } from './recall-case.ts';
import { isPlain, RECALL_MODES, type RecallMode } from './recall-mode.ts';
import type { AskedQuestion } from './recall-result.ts';

export interface MeasureOptions {
  readonly tenantId: string;
  readonly modes: readonly RecallMode[];
  /** How many results are looked at. */
  readonly limit: number;
  /** Told of each turn that was remembered, and each search. */
  readonly progress: (done: number) => void;
  /** When it is aborted, what is under way is the last. */
  readonly signal: AbortSignal;
}

/** Thrown when it was told to stop. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Where a conversation lies, and which entry is which turn. */
export interface Shelf {
  readonly principal: Parameters<MeasuredMemory['as']>[0];
  readonly turns: ReadonlyMap<string, RecallTurn>;
}

/** Throws {@link Interrupted}. */
export function assertGoingOn(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted();
}

interface Found {
  readonly turns: readonly RecallTurn[];
  readonly scores: readonly number[];
}

export class Asker {
  readonly #memory: MeasuredMemory;
  readonly #options: MeasureOptions;
  readonly #shelves: { readonly own: Shelf; readonly plain: Shelf };

  constructor(memory: MeasuredMemory, shelves: { own: Shelf; plain: Shelf }, options: MeasureOptions) {
    this.#memory = memory;
    this.#shelves = shelves;
    this.#options = options;
  }

  /** By each mode, and always by the default one, because that has the scores. */
  async ask({ id, text, category, isAnswerable, evidence, sessions }: RecallQuestion): Promise<AskedQuestion> {
    const durations: AskedQuestion['durations'] = {};
    const { modes } = this.#options;
    const found = await this.#search('default', text, durations);
    const lists: Partial<Record<RecallMode, readonly RecallTurn[]>> = { default: found.turns };
    for (const mode of searchesOf(modes)) lists[mode] = (await this.#search(mode, text, durations)).turns;
    if (modes.includes('fusion')) lists.fusion = fused(lists.text ?? [], lists.vector ?? []);
    const answers: AskedQuestion['answers'] = {};
    for (const mode of modes) {
      const turns = lists[mode] ?? [];
      answers[mode] = {
        turns: ranksOf(
          evidence,
          turns.map((turn) => turn.id),
        ),
        sessions: ranksOf(sessions, [...new Set(turns.map(({ session }) => session))]),
      };
    }
    const scoreOf = new Map(found.turns.map((turn, place) => [turn.id, found.scores[place] ?? null]));
    const scores = evidence.map((turn) => scoreOf.get(turn) ?? null);
    return { id, category, isAnswerable, isForeign: false, topScore: found.scores[0] ?? 0, scores, answers, durations };
  }

  /** Only how sure the default is of what cannot be there. */
  async askForeign({ id, text, category }: RecallQuestion): Promise<AskedQuestion> {
    const { scores } = await this.#search('default', text, {});
    const topScore = scores[0] ?? 0;
    return { id, category, isAnswerable: false, isForeign: true, topScore, scores: [], answers: {}, durations: {} };
  }

  async #search(mode: RecallMode, query: string, durations: AskedQuestion['durations']): Promise<Found> {
    const { limit, signal, progress } = this.#options;
    assertGoingOn(signal);
    const shelf = isPlain(mode) ? this.#shelves.plain : this.#shelves.own;
    const memory = isPlain(mode) ? this.#memory.plainAs(shelf.principal) : this.#memory.as(shelf.principal);
    this.#memory.takeEmbeddingMs();
    const started = performance.now();
    const { results, warnings = [] } = await memory.search({ query, limit, threshold: 0, ...RECALL_MODES[mode].input });
    const ms = performance.now() - started;
    durations[mode] = { ms, embeddingMs: this.#memory.takeEmbeddingMs() };
    // Half a search would look like a bad ranking.
    if (warnings.length > 0) throw new LaminaError('UNAVAILABLE', warnings.join(' '));
    progress(1);
    const known = results.flatMap(({ memory: { id }, score }) => {
      const turn = shelf.turns.get(id);
      return turn ? [{ turn, score }] : [];
    });
    return { turns: known.map(({ turn }) => turn), scores: known.map(({ score }) => score) };
  }
}

/** The searches that these modes need besides the default one. */
export function searchesOf(modes: readonly RecallMode[]): RecallMode[] {
  const needed = new Set<RecallMode>(modes.includes('fusion') ? [...modes, 'text', 'vector'] : modes);
  return [...needed].filter((mode) => mode !== 'default' && mode !== 'fusion');
}

function fused(text: readonly RecallTurn[], vector: readonly RecallTurn[]): RecallTurn[] {
  const byId = new Map([...text, ...vector].map((turn) => [turn.id, turn]));
  const ids = fuseRanks([text, vector].map((list) => list.map(({ id }) => id)));
  return ids.flatMap((id) => byId.get(id) ?? []).slice(0, Math.max(text.length, vector.length));
}

/** From 1, null for what is not in the list. */
function ranksOf(wanted: readonly string[], list: readonly string[]): (number | null)[] {
  const places = new Map(list.map((id, place) => [id, place + 1]));
  return wanted.map((id) => places.get(id) ?? null);
}
