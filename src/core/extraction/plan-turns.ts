/** What there is to do for each message of a conversation, given what is stored of it. */

import { assertMayWriteScope, partitionOf, type Placement } from '../../domain/access.ts';
import { entryFieldsSchema, type Entry } from '../../domain/entry.ts';
import type { RememberInput, SKIPS } from '../../domain/extraction.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf, type Identifiers } from '../../domain/scope.ts';
import { trustOf } from '../../domain/trust.ts';
import type { EntryTransaction } from '../../ports/entry-store.ts';
import { agentIdentifiers } from '../agent-reach.ts';
import type { Dependencies } from '../dependencies.ts';
import { draftAt, type Draft } from '../remember/draft.ts';
import { align } from './alignment.ts';
import type { Said } from './said.ts';
import type { Forgotten, Turn } from './turn-likeness.ts';
import { givenName, isRemembered, messageName, placeName } from './turn-name.ts';
import { isUnread, mayBeShown } from './unread.ts';

export interface PlannedTurn {
  readonly skip?: (typeof SKIPS)[number] | undefined;
  /** What is there. */
  readonly existing: Entry | null;
  /** What is to be written, perhaps over it. */
  readonly draft?: Draft | undefined;
}

/** Where to look: in the transaction, or before it to see what will be needed. */
export type Turns = Pick<EntryTransaction, 'findSame' | 'list'>;

/** More than are sent, because what came by other ways and what the system said lies in between. */
const MORE_THAN_SENT = 20;
const MAX_LISTED = 500;

/** Who gets no answer asks again after half a minute, a few times. An exchange that comes later in the same words is another one. */
export const RETRIED_WITHIN_MS = 120_000;

/** Throws what is wrong with where the turns are to lie, or with one of them. */
export async function planTurns(
  dependencies: Dependencies,
  principal: Principal,
  turns: Turns,
  messages: readonly Said[],
  input: RememberInput,
): Promise<PlannedTurn[]> {
  const kept = messages.filter(({ skip }) => skip === undefined);
  const plan = await new Log(dependencies, principal, turns, input).plan(kept);
  const planned = new Map(kept.map((said, index) => [said, plan[index]]));
  return messages.map((said) => planned.get(said) ?? { skip: said.skip, existing: null });
}

interface Conversation {
  readonly turns: readonly (Entry & { turn: number })[];
  /** Those after all of them that were deleted. */
  readonly forgotten: readonly Forgotten[];
  readonly last: number;
}

/** The episodes of an agent, and in them one conversation. */
class Log {
  readonly #dependencies: Dependencies;
  readonly #principal: Principal;
  readonly #turns: Turns;
  readonly #input: RememberInput;
  readonly #placement: Placement;
  readonly #identifiers: Identifiers;

  constructor(dependencies: Dependencies, principal: Principal, turns: Turns, input: RememberInput) {
    const identifiers = agentIdentifiers(principal, input.agentId);
    const scope = scopeOf('agent', identifiers);
    assertMayWriteScope(principal, scope);
    this.#dependencies = dependencies;
    this.#principal = principal;
    this.#turns = turns;
    this.#input = input;
    this.#placement = { scope, kind: 'episodic', visibility: 'private', ownerId: principal.userId };
    const { sessionId } = input;
    this.#identifiers = { ...identifiers, ...(sessionId !== undefined && { sessionId }) };
  }

  async plan(messages: readonly Said[]): Promise<PlannedTurn[]> {
    const { sessionId } = this.#input;
    const spoken = messages.filter(isSpoken);
    const named = await this.#find(messages.map((said) => messageName(sessionId, said)));
    const found = new Map(messages.map((said, index) => [said, named[index] ?? null]));
    const conversation = await this.#conversation(spoken.length, [...found.values()]);
    const { turns, forgotten } = conversation;
    let { last } = conversation;
    const lines = spoken.map((said) => lineOf(said, messageName(sessionId, said)));
    const stored = turns.map((entry) => ({ ...turnOf(entry), isExpectedAgain: this.#isExpectedAgain(entry) }));
    const places = align(lines, stored, forgotten);
    const placeOf = new Map(spoken.map((said, index) => [said, places[index]]));
    return messages.map((said) => {
      const place = placeOf.get(said);
      const entry = found.get(said) ?? turns.find((turn) => turn.turn === place && isSaid(turn, said)) ?? null;
      if (entry !== null) {
        const isToName = said.id !== undefined && isNamedByPlace(entry);
        const isChanged = !isSameText(entry, said) || isToName;
        return { existing: entry, ...(isChanged && { draft: this.#draft(said, entry.turn) }) };
      }
      if (place !== undefined) return { skip: 'forgotten', existing: null };
      const turn = isSpoken(said) && sessionId !== undefined ? (last += 1) : undefined;
      return { existing: null, draft: this.#draft(said, turn) };
    });
  }

  /** The last turns of the conversation, its first ones, and those that go by a name; and the last place that is taken. */
  async #conversation(count: number, named: readonly (Entry | null)[]): Promise<Conversation> {
    const { sessionId } = this.#input;
    if (sessionId === undefined) return { turns: [], forgotten: [], last: 0 };
    const partitions = [partitionOf(this.#placement)];
    const limit = Math.min(2 * count + MORE_THAN_SENT, MAX_LISTED);
    const latest = await this.#turns.list({ partitions, identifiers: { sessionId } }, limit);
    const after = (place: number): Promise<(Entry | null)[]> =>
      this.#find(Array.from({ length: count }, (_, index) => placeName(sessionId, place + index + 1)));
    const found = numbered([...(await after(0)), ...named, ...latest]);
    const gone = new Map(
      found.flatMap(({ provenance }) => provenance?.forgotten ?? []).map((each) => [each.turn, each]),
    );
    let last = Math.max(0, ...gone.keys(), ...found.map(({ turn }) => turn));
    // Somebody may have gone on meanwhile. Who does so after this takes a place that is to be taken here, and collides.
    for (;;) {
      const next = await after(last);
      const taken = next.findLastIndex((entry) => entry !== null) + 1;
      if (taken === 0) return { turns: distinct(found), forgotten: forgottenAmong(gone, found), last };
      found.push(...numbered(next));
      last += taken;
    }
  }

  /** Stored so recently that the answer may not have arrived; or a language model has failed to read it, and is to try again. */
  #isExpectedAgain(entry: Entry): boolean {
    const { clock, languageModel } = this.#dependencies;
    if (clock.now() - Date.parse(entry.createdAt) <= RETRIED_WITHIN_MS) return true;
    const isToBeRead = languageModel !== undefined && this.#input.extract !== false;
    return isToBeRead && isUnread(entry) && mayBeShown(entry);
  }

  async #find(names: readonly (string | undefined)[]): Promise<(Entry | null)[]> {
    const partition = partitionOf(this.#placement);
    const { ownerId } = this.#placement;
    const given = names.filter((name) => name !== undefined);
    if (given.length === 0) return names.map(() => null);
    const found = await this.#turns.findSame(given.map((externalId) => ({ partition, ownerId, externalId })));
    const byName = new Map(given.map((name, index) => [name, found[index] ?? null]));
    return names.map((name) => (name === undefined ? null : (byName.get(name) ?? null)));
  }

  #draft(said: Said, turn: number | undefined): Draft {
    const { sessionId, sensitivity } = this.#input;
    const { role, content, id, occurredAt, name, toolCallId } = said;
    const place = turn === undefined || sessionId === undefined ? undefined : placeName(sessionId, turn);
    const externalId = messageName(sessionId, said) ?? place;
    const reference = id ?? toolCallId;
    const speaker = speakerOf(said);
    const source = {
      type: role === 'tool' ? 'tool_result' : 'conversation',
      ...(reference !== undefined && { reference }),
    } as const;
    const draft = draftAt(
      this.#dependencies,
      this.#placement,
      {
        content,
        role,
        source,
        ...(externalId !== undefined && { externalId }),
        ...(turn !== undefined && { turn }),
        ...(occurredAt !== undefined && { validFrom: occurredAt }),
        ...(name !== undefined && { metadata: { name } }),
        ...(speaker !== undefined && { speaker }),
        ...(sensitivity !== undefined && { sensitivity }),
      },
      this.#identifiers,
    );
    return { ...draft, made: trustOf(this.#principal, { source, role, isTurn: true }) };
  }
}

/** A tool has a name, and is nobody. */
function speakerOf({ role, name }: Said): string | undefined {
  const isPerson = role === 'user' || role === 'assistant';
  return isPerson ? entryFieldsSchema.shape.speaker.safeParse(name).data : undefined;
}

/** What the system says is no part of the conversation: agents put it before each call, now so, now so. */
function isSpoken({ role }: Pick<Said, 'role'>): boolean {
  return role !== 'system';
}

function isSameText(entry: Entry, said: Said): boolean {
  return entry.contentHash === said.contentHash;
}

/** Whether a turn that stands in the place of a message is that message. One that has a name is so by that alone. */
function isSaid(turn: Entry, said: Said): boolean {
  return isSameText(turn, said) && (said.id === undefined || givenName(turn) === undefined);
}

/** Such a turn takes the name that its message brings along. */
function isNamedByPlace(entry: Entry): boolean {
  return isRemembered(entry) && givenName(entry) === undefined;
}

function lineOf({ role, contentHash, occurredAt }: Said, name: string | undefined): Omit<Turn, 'turn'> {
  return { role, contentHash, name, occurredAt: occurredAt === undefined ? undefined : Date.parse(occurredAt) };
}

function turnOf(entry: Entry & { turn: number }): Turn {
  const { role, contentHash, validFrom, turn } = entry;
  const occurredAt = validFrom === undefined ? undefined : Date.parse(validFrom);
  return { role, contentHash, name: givenName(entry), turn, occurredAt };
}

/** Where the conversation went on since, its place tells that it is gone. */
function forgottenAmong(gone: ReadonlyMap<number, Forgotten>, turns: readonly { turn: number }[]): Forgotten[] {
  const last = Math.max(0, ...turns.map(({ turn }) => turn));
  return [...gone.values()].filter(({ turn }) => turn > last);
}

function distinct<E extends Entry>(turns: readonly E[]): E[] {
  return [...new Map(turns.map((turn) => [turn.id, turn])).values()];
}

/** Those that have a place in the conversation. */
function numbered(entries: readonly (Entry | null)[]): (Entry & { turn: number })[] {
  return entries.flatMap((entry) => {
    if (entry?.turn === undefined || entry.role === 'system') return [];
    return [{ ...entry, turn: entry.turn }];
  });
}
