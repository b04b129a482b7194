/** Looking around in the fuzz of isolation: lists, searches, counts, what administrators see, and what belongs to another. */

import { snakeCase } from '../../src/domain/spelling.ts';
import type { Identifiers } from '../../src/domain/scope.ts';
import { isNamedBy, someIdentifiers } from '../../src/testing/isolation-model.ts';
import { placed, type Call } from './isolation-kinds.ts';
import { assert, codeOf, isDone, type IsolationSession } from './isolation-session.ts';
import { canariesIn, isOfTenant, type Actor, type Thing } from './isolation-world.ts';

const V1 = '/v1/memory';
/** Where a page ends for certain; more is not compared one by one. */
const COMPARED = 50;
/** What others do between two looks at numbers. */
const MEANWHILE = 3;

interface Look {
  readonly kind: string;
  readonly call: Call;
  readonly isMeant?: (thing: Thing) => boolean;
}

/** Everything of a sort that somebody sees, and nothing else. */
export async function list(session: IsolationSession): Promise<void> {
  const actor = session.someone();
  await look(session, actor, session.random.pick(looksOf(session, someNames(session, actor))));
}

/** Where an entry or a fact lies, everybody of the tenant looks. */
export async function listByAll(session: IsolationSession): Promise<void> {
  const { random, world } = session;
  const thing = session.oneOf([...world.alive('entry'), ...world.alive('fact')]);
  const known = thing && placed.get(thing);
  if (thing === undefined || known === undefined) return;
  const looks = looksOf(session, known.identifiers, known.layer).filter(({ kind }) => kind === thing.kind);
  for (const actor of session.tenantOf(thing)) await look(session, actor, random.pick(looks));
}

async function look(
  session: IsolationSession,
  actor: Actor,
  { kind, call, isMeant = () => true }: Look,
): Promise<void> {
  const { world } = session;
  const expected = world.alive(kind).filter((thing) => thing.sees(actor) && isMeant(thing) && !thing.isArchived);
  const answer = await session.ask(`list of ${kind}`, actor, call);
  assert(isDone(answer), `a list that was refused with ${answer.status}: ${answer.text}`);
  if (expected.length >= COMPARED) return;
  const shown = new Set(canariesIn(answer.text));
  const missing = expected.filter(({ canary }) => !shown.has(canary)).map(({ path }) => path);
  assert(missing.length === 0, `not shown, and theirs: ${missing.join()}`);
  const body = JSON.parse(answer.text) as Record<string, unknown>;
  const told = body['total_count'] ?? body['count'];
  assert(told === expected.length, `${String(told)} were counted, of ${expected.length}`);
}

function someNames({ random }: IsolationSession, { userId }: Actor): Identifiers {
  return someIdentifiers(random, random.below(3) === 0 ? 'u10' : userId);
}

function looksOf(
  { random }: IsolationSession,
  identifiers: Identifiers,
  layer = random.pick(['agent', 'user', 'session', 'project', 'team']),
): readonly Look[] {
  const named = Object.entries(identifiers).map(([name, value]) => [snakeCase(name), value ?? ''] as const);
  const query = named.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const isIn = (thing: Thing, where?: string): boolean => {
    const known = placed.get(thing);
    return known !== undefined && isNamedBy(identifiers, known) && (where === undefined || known.layer === where);
  };
  const entries = get(`${V1}/entries?layer=${layer}&limit=100&${query}`);
  return [
    ...['plan', 'session', 'receipt', 'pool', 'context'].map((kind) => ({
      kind,
      call: get(`${V1}/${kind}s?limit=100`),
    })),
    { kind: 'task', call: get(`${V1}/task-context?plan_id=p1&limit=100`) },
    { kind: 'working', call: get(`${V1}/working/p1?limit=100`) },
    { kind: 'fact', call: get(`${V1}/facts?limit=100&${query}`), isMeant: (thing) => isIn(thing) },
    { kind: 'entry', call: entries, isMeant: (thing) => isIn(thing, layer) },
    {
      kind: 'entry',
      call: search(named, random.pick(['hybrid', 'keyword', 'semantic'])),
      isMeant: (thing) => isIn(thing),
    },
  ];
}

/** What is told in numbers does not move while nothing moves that they can see, whatever others do meanwhile. */
export async function summarise(session: IsolationSession, meanwhile: () => Promise<void>): Promise<void> {
  const actor = session.someone();
  const call = session.random.pick([get(`${V1}/stats`), search([['user_id', actor.userId]], 'keyword')]);
  const ask = async (): Promise<string> => {
    const answer = await session.ask('summary', actor, call);
    assert(isDone(answer), `a summary that was refused with ${answer.status}`);
    return numbersIn(answer.text);
  };
  const [before, changes] = [await ask(), session.world.changesFor(actor)];
  for (let count = 0; count < MEANWHILE; count += 1) await meanwhile();
  const after = await ask();
  const isSame = session.world.changesFor(actor) !== changes || before === after;
  assert(isSame, `another answer, though nothing changed for them:\n${before}\n${after}`);
}

/** What administrators may do, tried by all. */
export async function administer(session: IsolationSession): Promise<void> {
  const actor = session.someone();
  const paths = [
    'admin/export?limit=500',
    'admin/audit?limit=100',
    'admin/keys?limit=100',
    'admin/metrics',
    'stats?of=tenant',
  ];
  const call = get(`${V1}/${session.random.pick(paths)}`);
  const answer = await session.ask('administer', actor, call, (thing) => actor.isAdmin && isOfTenant(thing, actor));
  if (!actor.isAdmin) assert(codeOf(answer) === 'FORBIDDEN', `no administrator, and yet ${answer.status}`);
  else assert(isDone(answer), `an administrator was refused with ${answer.status}`);
}

/** The cursor of one, used by another. */
export async function replayCursor(session: IsolationSession): Promise<void> {
  const [one, other] = [session.someone(), session.someone()];
  const { call } = session.random.pick(looksOf(session, someNames(session, one)));
  if (!call.path.includes('limit=100')) return;
  const path = call.path.replace('limit=100', 'limit=1');
  const first = await session.ask('replay', one, get(path));
  const { next_cursor: cursor } = JSON.parse(first.text) as { readonly next_cursor?: string | null };
  if (typeof cursor === 'string')
    await session.ask('replay', other, get(`${path}&cursor=${encodeURIComponent(cursor)}`));
}

/** The position of one in the events, from which another goes on after something has happened. */
export async function replayPosition(session: IsolationSession, happen: () => Promise<void>): Promise<void> {
  const [one, other] = [session.someone(), session.someone()];
  const { text } = await session.ask('replay', one, get(`${V1}/events/position`));
  const { position } = JSON.parse(text) as { readonly position: string };
  await happen();
  await session.ask('replay', other, get(`${V1}/events?after=${encodeURIComponent(position)}`));
}

/** Under one request id, each gets what they stored themselves. */
export async function replayRequest(session: IsolationSession): Promise<void> {
  const [one, other] = [session.someone(), session.someone()];
  const isOnePerson = one.tenantId === other.tenantId && one.userId === other.userId;
  if (isOnePerson || one.agentId !== undefined || other.agentId !== undefined) return;
  const requestId = `request-${session.random.word()}`;
  const stored: string[] = [];
  for (const actor of [one, other]) {
    const content = `item ${session.random.words(3)}`;
    const about = { tier: 'SemanticMemory', scope: 'GlobalScope', source: 'UserSource', generated_by_turn_id: 't' };
    const body = { items: [{ ...about, content, metadata_json: '{}' }], request_id: requestId };
    const answer = await session.ask('replay', actor, { method: 'POST', path: `${V1}/agents/keeper/store`, body });
    assert(isDone(answer), `an item was refused with ${answer.status}: ${answer.text}`);
    stored.push(...(JSON.parse(answer.text) as { readonly stored_ids: string[] }).stored_ids);
  }
  assert(stored.length === 2 && stored[0] !== stored[1], `a request id of another gave ${stored.join()}`);
}

function get(path: string): Call {
  return { method: 'GET', path };
}

/** Everything that the word finds, without counting as an access. */
function search(identifiers: readonly (readonly [string, string])[], mode: string): Call {
  const how = { mode, limit: 100, threshold: 0, explain: true };
  const body = { query: 'memo', identifiers: Object.fromEntries(identifiers), ...how };
  return { method: 'POST', path: `${V1}/entries/search`, body };
}

/** Of a summary: ids and counts, not when it was asked for or how it was weighed. */
function numbersIn(text: string): string {
  const { results, total_count: found, total, groups } = JSON.parse(text) as Record<string, unknown>;
  if (!Array.isArray(results)) return JSON.stringify({ total, groups });
  const ids = (results as { readonly memory: { readonly id: string } }[]).map(({ memory }) => memory.id);
  return JSON.stringify([ids.toSorted(), found]);
}
