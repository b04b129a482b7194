/** Remembering a conversation as a user would, asking every question about it, and seeing where the answers stand. */

import { v5 } from 'uuid';
import type { MeasuredMemory } from '../../compose/measured-memory.ts';
import { LaminaError } from '../../domain/error.ts';
import type { OperationInput } from '../../operations/table.ts';
import { fuseRanks } from './rank-fusion.ts';
import type { RecallCase, RecallQuestion, RecallTurn } from './recall-case.ts';
import { isPlain, RECALL_MODES, type RecallMode } from './recall-mode.ts';
import type { AskedQuestion, RecallResult } from './recall-result.ts';

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

const AGENT = 'assistant';
const AT_ONCE = 64;
const DAY_MS = 86_400_000;

/** The ids of entries come of the names of turns: what was logged before an interruption is then not logged twice. */
const NAMESPACE = '4f0d2a57-6a55-4c0b-9a55-0d9a4a2c7d15';

function entryIdOf(caseName: string, turnId: string): string {
  return v5(`${caseName}\n${turnId}`, NAMESPACE);
}

/**
 * Each conversation is the memory of a user of its own. `foreign` are questions about something else. Throws
 * {@link Interrupted}, and what memory throws.
 */
export async function measureRecall(
  memory: MeasuredMemory,
  one: RecallCase,
  foreign: readonly RecallQuestion[],
  options: MeasureOptions,
): Promise<RecallResult> {
  const later = one.turns.reduce((last, { at }) => Math.max(last, at), 0) + DAY_MS;
  memory.setNow(later);
  const own = shelfOf(one, options.tenantId);
  const plain = needsPlain(one, options.modes) ? shelfOf(plainCase(one), options.tenantId) : own;
  for (const shelf of new Set([own, plain])) await remember(memory, shelf, options);
  const asker = new Asker(memory, { own, plain }, options);
  const questions: AskedQuestion[] = [];
  for (const question of one.questions) {
    memory.setNow(question.askedAt ?? later);
    questions.push(await asker.ask(question));
  }
  memory.setNow(later);
  for (const question of foreign) questions.push(await asker.askForeign(question));
  return { name: one.name, questions };
}

/** Where a conversation lies, and which entry is which turn. */
interface Shelf {
  readonly principal: Parameters<MeasuredMemory['as']>[0];
  readonly turns: ReadonlyMap<string, RecallTurn>;
}

function shelfOf({ name, turns }: RecallCase, tenantId: string): Shelf {
  return {
    // Whatever a conversation is called, this can be the id of a user.
    principal: { tenantId, userId: entryIdOf(name, ''), agentId: AGENT },
    turns: new Map(turns.map((turn) => [entryIdOf(name, turn.id), turn])),
  };
}

/** Whoever does not know speakers writes their names before what they say. That is then the memory of another user. */
function plainCase({ name, turns, questions }: RecallCase): RecallCase {
  const plain = turns.map(({ speaker, text, ...turn }) => ({
    ...turn,
    text: speaker === undefined ? text : `${speaker}: ${text}`,
  }));
  return { name: `${name} (plain)`, turns: plain, questions };
}

function needsPlain({ turns }: RecallCase, modes: readonly RecallMode[]): boolean {
  return modes.some((mode) => isPlain(mode)) && turns.some(({ speaker }) => speaker !== undefined);
}

/** How many turns and searches it takes. */
export function workOf(one: RecallCase, foreign: readonly RecallQuestion[], modes: readonly RecallMode[]): number {
  const times = needsPlain(one, modes) ? 2 : 1;
  return one.turns.length * times + one.questions.length * (1 + searchesOf(modes).length) + foreign.length;
}

/** Each turn by a call of its own, many at a time. */
async function remember(memory: MeasuredMemory, { principal, turns }: Shelf, options: MeasureOptions): Promise<void> {
  const { episodic } = memory.as(principal);
  const all = [...turns].map(([id, turn]) => logInput(id, turn));
  for (let start = 0; start < all.length; start += AT_ONCE) {
    assertGoingOn(options.signal);
    const some = all.slice(start, start + AT_ONCE);
    await Promise.all(some.map((input) => episodic.log(input)));
    options.progress(some.length);
  }
}

/** As a user of the library would log it. */
function logInput(id: string, { session, turn, at, role, speaker, text }: RecallTurn): OperationInput<'episodic.log'> {
  return {
    id,
    role,
    content: text,
    sessionId: session,
    turn,
    occurredAt: new Date(at).toISOString(),
    ...(speaker !== undefined && { speaker }),
  };
}

function assertGoingOn(signal: AbortSignal): void {
  if (signal.aborted) throw new Interrupted();
}

interface Found {
  readonly turns: readonly RecallTurn[];
  readonly scores: readonly number[];
}

class Asker {
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
function searchesOf(modes: readonly RecallMode[]): RecallMode[] {
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
