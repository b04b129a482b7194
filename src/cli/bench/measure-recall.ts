/** Remembering a conversation as a user would, and asking every question about it. */

import { v5 } from 'uuid';
import type { MeasuredMemory } from '../../compose/measured-memory.ts';
import type { OperationInput } from '../../operations/table.ts';
import { assertGoingOn, Asker, searchesOf, type MeasureOptions, type Shelf } from './asker.ts';
import type { RecallCase, RecallQuestion, RecallTurn } from './recall-case.ts';
import { isPlain, type RecallMode } from './recall-mode.ts';
import type { AskedQuestion, RecallResult } from './recall-result.ts';

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
 * `Interrupted`, and what memory throws.
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
