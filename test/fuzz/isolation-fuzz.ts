/** Random people do random things to a service, one after the other; after each answer the model says whether it may be so. */

import type { Exchange } from './exchange.ts';
import { isOwnId, lists, MEMBERS, SORTS, type Call, type Sort } from './isolation-kinds.ts';
import {
  administer,
  list,
  listByAll,
  replayCursor,
  replayPosition,
  replayRequest,
  summarise,
} from './isolation-looks.ts';
import { assert, codeOf, isDone, IsolationSession, isThere } from './isolation-session.ts';
import { actors, isOfTenant, type Actor, type Thing } from './isolation-world.ts';

export interface IsolationReport {
  readonly operations: number;
  /** By what was done: how often. */
  readonly steps: Readonly<Record<string, number>>;
  /** How often something was refused as if it were not there. */
  readonly unseen: number;
}

interface IsolationOptions {
  readonly seed: number;
  readonly operations: number;
}

type Step = () => Promise<void>;

const SHOWN = 25;

/** Throws with what was done last where something is not as the model has it. */
export async function fuzzIsolation(
  exchange: Exchange,
  { seed, operations }: IsolationOptions,
): Promise<IsolationReport> {
  const session = new IsolationSession(exchange, seed, await actors());
  const steps = stepsOf(session);
  try {
    while (session.operations < operations) await session.random.pick(steps)();
  } catch (error) {
    const before = session.log.slice(-SHOWN).join('\n');
    throw new Error(`Operation ${session.operations}: ${String(error)}\nWhat was done last:\n${before}`, {
      cause: error,
    });
  }
  return { operations: session.operations, steps: session.steps, unseen: session.unseen };
}

function stepsOf(session: IsolationSession): readonly Step[] {
  const shares: readonly (readonly [number, Step])[] = [
    [40, () => make(session)],
    [14, () => read(session)],
    [9, () => readByAll(session)],
    [12, () => change(session)],
    [5, () => archive(session)],
    [5, () => remove(session)],
    [6, () => grant(session)],
    [10, () => fill(session)],
    [10, () => list(session)],
    [6, () => listByAll(session)],
    [5, () => summarise(session, () => make(session))],
    [3, () => replayCursor(session)],
    [2, () => replayPosition(session, () => make(session))],
    [1, () => replayRequest(session)],
    [3, () => administer(session)],
    [12, () => attack(session)],
  ];
  return shares.flatMap(([share, step]) => Array.from({ length: share }, () => step));
}

async function make(session: IsolationSession): Promise<void> {
  const [actor, canary] = [session.someone(), session.world.canary()];
  const attempt = session.random.pick(SORTS).make(session.random, actor, canary);
  const answer = await session.ask('make', actor, attempt.call);
  assert(isDone(answer) === attempt.isAllowed, `making it answered ${answer.status}: ${answer.text}`);
  if (attempt.isAllowed) session.world.add(attempt.made(JSON.parse(answer.text) as Record<string, unknown>));
  else assert(codeOf(answer) === 'FORBIDDEN', 'another refusal than FORBIDDEN');
}

async function read(session: IsolationSession): Promise<void> {
  const thing = session.something();
  if (thing !== undefined) await readAs(session, session.someoneNear(thing), thing);
}

async function readByAll(session: IsolationSession): Promise<void> {
  const kind = session.random.pick(SORTS).name;
  const thing = session.oneOf(session.world.alive(kind));
  if (thing !== undefined) for (const actor of session.tenantOf(thing)) await readAs(session, actor, thing);
}

async function readAs(session: IsolationSession, actor: Actor, thing: Thing): Promise<void> {
  const call = session.random.pick(sortOf(thing).reads(thing));
  const answer = await session.ask('read', actor, call);
  if (!isThere(thing, actor)) return session.assertAsAbsent(thing, actor, call, answer);
  assert(isDone(answer), `${thing.kind} of ${thing.owner.name} is theirs to see, and was not shown: ${answer.text}`);
  if (call.path === thing.path) assert(answer.text.includes(thing.canary), 'it does not say what was written last');
}

async function change(session: IsolationSession): Promise<void> {
  const thing = session.something();
  const canary = session.world.canary();
  const call = thing && sortOf(thing).change?.(thing, canary);
  if (thing === undefined || call === undefined || thing.isArchived) return;
  const actor = session.someoneNear(thing);
  const answer = await session.ask('change', actor, call);
  if (await session.isDoneTo(thing, actor, call, answer)) session.world.mark(thing, canary);
}

/** Out of use, or back. */
async function archive(session: IsolationSession): Promise<void> {
  const thing = session.something();
  if (thing?.kind !== 'entry') return;
  const actor = session.someoneNear(thing);
  const call: Call = { method: 'POST', path: `${thing.path}/${thing.isArchived ? 'restore' : 'archive'}`, body: {} };
  const answer = await session.ask('archive', actor, call);
  if (!(await session.isDoneTo(thing, actor, call, answer))) return;
  thing.isArchived = !thing.isArchived;
  session.world.touch(thing);
}

async function remove(session: IsolationSession): Promise<void> {
  const thing = session.something();
  const call = thing && sortOf(thing).remove?.(thing);
  if (thing === undefined || call === undefined) return;
  const actor = session.someoneNear(thing);
  const answer = await session.ask('remove', actor, call);
  if (!(await session.isDoneTo(thing, actor, call, answer))) return;
  // With everything that lies in it.
  const within = session.world.alive('value').filter(({ path }) => path.startsWith(`${thing.path}/`));
  for (const each of [thing, ...within]) session.world.remove(each);
}

function container(session: IsolationSession): Thing | undefined {
  return session.oneOf([...session.world.alive('pool'), ...session.world.alive('context')]);
}

async function grant(session: IsolationSession): Promise<void> {
  const thing = container(session);
  const model = thing && lists.get(thing);
  if (thing === undefined || model === undefined) return;
  const { random, world } = session;
  const actor = random.below(3) === 0 ? session.someoneNear(thing) : thing.owner;
  const [id, level] = [random.pick(MEMBERS), random.pick(['read', 'write'] as const)];
  if (isOwnId(thing.owner, id)) return;
  const isRevoked = random.below(2) === 0;
  // Whom nobody let in cannot be shown out.
  if (isRevoked && !model.grants.has(id)) return;
  const call = grantOf(thing, id, isRevoked ? undefined : level);
  const answer = await session.ask(isRevoked ? 'revoke' : 'grant', actor, call);
  if (!(await session.isDoneTo(thing, actor, call, answer))) return;
  world.touch(thing);
  if (isRevoked) model.grants.delete(id);
  else model.grants.set(id, level);
  world.touch(thing);
}

function grantOf({ kind, path }: Thing, id: string, level: 'read' | 'write' | undefined): Call {
  const one = `${path}/grants/${encodeURIComponent(id)}`;
  if (level === undefined) return { method: 'DELETE', path: one };
  if (kind === 'pool') return { method: 'POST', path: `${path}/grants`, body: { agent_id: id, level } };
  return { method: 'PUT', path: one, body: { level } };
}

/** Puts something into a pool or a context, as who may and who may not. */
async function fill(session: IsolationSession): Promise<void> {
  const within = container(session);
  const model = within && lists.get(within);
  if (within === undefined || model === undefined) return;
  const [actor, canary, id] = [session.someoneNear(within), session.world.canary(), `k${session.random.word()}`];
  const isPool = within.kind === 'pool';
  const path = `${within.path}/${isPool ? 'data' : 'entries'}/${id}`;
  const call: Call = { method: 'PUT', path, body: isPool ? { value: { canary } } : { content: `memo ${canary}` } };
  const isWritable = isOfTenant(within, actor) && model.isWritableBy(actor);
  const answer = await session.ask('fill', actor, call);
  if (!(await session.isDoneTo({ ...within, changes: () => isWritable }, actor, call, answer))) return;
  session.world.add({
    kind: 'value',
    path,
    id,
    owner: within.owner,
    canary,
    isGone: false,
    isArchived: false,
    sees: (other) => within.sees(other),
    changes: (other) => isOfTenant(within, other) && model.isWritableBy(other),
  });
}

/** Whatever else can be tried on what is not theirs. */
async function attack(session: IsolationSession): Promise<void> {
  const thing = session.something();
  const calls = thing && sortOf(thing).attacks?.(thing);
  if (thing === undefined || calls === undefined) return;
  const actor = session.someoneNear(thing);
  if (isThere(thing, actor)) return;
  const call = session.random.pick(calls);
  await session.assertAsAbsent(thing, actor, call, await session.ask('attack', actor, call));
}

/** What lies in a pool or a context: see {@link fill}. */
const VALUES: Pick<Sort, 'reads' | 'change' | 'remove' | 'attacks'> = {
  reads: ({ path }) => [{ method: 'GET', path }],
  remove: ({ path }) => ({ method: 'DELETE', path }),
};

function sortOf({ kind }: Thing): Pick<Sort, 'reads' | 'change' | 'remove' | 'attacks'> {
  return SORTS.find(({ name }) => name === kind) ?? VALUES;
}
