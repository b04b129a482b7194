/** What people make in the fuzz of isolation: how each sort of thing is made, read, changed and removed over HTTP, and whose it is. */

import { snakeCase } from '../../src/domain/spelling.ts';
import { canChange, canSee, mayDo, someIdentifiers, type Deed, type Known } from '../../src/testing/isolation-model.ts';
import { PoolModel } from '../../src/testing/sharing-model.ts';
import type { SeededRandom } from '../../src/testing/seeded-random.ts';
import { isOfTenant, isOfUser, type Actor, type Thing } from './isolation-world.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** What somebody wants to make. */
export interface Attempt {
  readonly call: Call;
  readonly isAllowed: boolean;
  /** The thing that it makes, with the answer to read its id from. */
  made(answer: Record<string, unknown>): Thing;
}

export interface Sort {
  readonly name: string;
  make(random: SeededRandom, actor: Actor, canary: string): Attempt;
  /** Ways to look at one. */
  reads(thing: Thing): Call[];
  /** Undefined where a change by a stranger would make a thing of their own. */
  change?(thing: Thing, canary: string): Call;
  remove?(thing: Thing): Call;
  /** What else a stranger may try. */
  attacks?(thing: Thing): Call[];
}

const V1 = '/v1/memory';

interface Fields extends Pick<Thing, 'kind' | 'path' | 'id' | 'owner' | 'canary'> {
  sees(thing: Thing, actor: Actor): boolean;
  changes?(thing: Thing, actor: Actor): boolean;
}

function thingOf({ sees, changes, ...fields }: Fields): Thing {
  const thing: Thing = {
    ...fields,
    isGone: false,
    isArchived: false,
    sees: (actor) => sees(thing, actor),
    changes: (actor) => (changes ?? sees)(thing, actor),
  };
  return thing;
}

/** A scope with somebody's names in it, mostly one's own. */
function deedOf(random: SeededRandom, principal: Actor, content: string): Deed {
  const userId = random.below(8) === 0 ? 'u10' : principal.userId;
  return {
    principal,
    layer: random.pick(['agent', 'user', 'user', 'session', 'project', 'team']),
    identifiers: someIdentifiers(random, userId),
    kind: random.pick(['semantic', 'semantic', 'episodic', 'procedural']),
    visibility: random.pick(['private', 'private', 'shared']),
    content,
  };
}

const onWire = ({ identifiers }: Deed): Record<string, unknown> =>
  Object.fromEntries(Object.entries(identifiers).map(([name, value]) => [snakeCase(name), value]));

/** By the id of a thing: where it lies, for lists and searches. */
export const placed = new WeakMap<Thing, Known>();

const entries: Sort = {
  name: 'entry',
  make: (random, actor, canary) => {
    const deed = deedOf(random, actor, `memo ${canary} ${random.words(3)}`);
    const { layer, kind, visibility, content } = deed;
    return {
      call: {
        method: 'POST',
        path: `${V1}/entries`,
        body: { content, layer, kind, visibility, identifiers: onWire(deed) },
      },
      isAllowed: mayDo(deed),
      made: (answer) => {
        const { id } = answer['memory'] as { readonly id: string };
        const known: Known = { ...deed, id };
        const thing = thingOf({
          kind: 'entry',
          path: `${V1}/entries/${id}`,
          id,
          owner: actor,
          canary,
          sees: (_, other) => canSee(other, known),
          changes: (_, other) => canChange(other, known),
        });
        placed.set(thing, known);
        return thing;
      },
    };
  },
  reads: ({ path, id }) =>
    [
      path,
      `${path}/versions`,
      `${path}/lineage`,
      `${path}/decay`,
      `${path}/similar`,
      `/openspec/v1/knowledge/${id}/metadata`,
    ].map((each) => ({ method: 'GET', path: each })),
  change: ({ path }, canary) => ({ method: 'PATCH', path, body: { content: `memo ${canary} changed` } }),
  remove: ({ path }) => ({ method: 'DELETE', path }),
  attacks: ({ path, id }) => [
    { method: 'POST', path: `${path}/promote`, body: { layer: 'company', identifiers: { company_id: 'c' } } },
    { method: 'POST', path: `${path}/archive`, body: {} },
    { method: 'POST', path: `${path}/restore`, body: {} },
    { method: 'GET', path: `${path}?include_embedding=true` },
    { method: 'GET', path: `${path}?as_of=${new Date(Date.now() - 1).toISOString()}` },
    { method: 'DELETE', path: `${V1}/procedural/${id}` },
    { method: 'DELETE', path: `/openspec/v1/knowledge/${id}` },
  ],
};

const PERSONAL = ['agent', 'user', 'session'];

const facts: Sort = {
  name: 'fact',
  make: (random, actor, canary) => {
    const some = deedOf(random, actor, canary);
    const visibility = PERSONAL.includes(some.layer) ? 'private' : 'shared';
    const deed: Deed = { ...some, kind: 'semantic', visibility };
    const statement = { fact_type: 't', subject: 'hub', predicate: 'p', object: canary };
    return {
      call: {
        method: 'POST',
        path: `${V1}/facts`,
        body: { ...statement, layer: deed.layer, identifiers: onWire(deed) },
      },
      isAllowed: mayDo(deed),
      made: (answer) => {
        const { fact_id: id } = answer['fact'] as { readonly fact_id: string };
        const known: Known = { ...deed, id };
        const thing = thingOf({
          kind: 'fact',
          path: `${V1}/facts/${id}`,
          id,
          owner: actor,
          canary,
          sees: (_, other) => canSee(other, known),
        });
        placed.set(thing, known);
        return thing;
      },
    };
  },
  reads: ({ path }) => [{ method: 'GET', path }],
  change: ({ path }, canary) => ({ method: 'PATCH', path, body: { metadata: { note: canary } } }),
  remove: ({ path }) => ({ method: 'DELETE', path }),
};

/** A record that is found by an id of its maker's choice. */
function record(
  name: string,
  root: string,
  idField: string,
  rest: (canary: string) => object,
  change: (canary: string) => object,
  sees: Fields['sees'],
): Sort {
  return {
    name,
    make: (random, owner, canary) => {
      const id = `${name}-${random.word()}`;
      return {
        call: { method: 'POST', path: root, body: { [idField]: id, ...rest(canary) } },
        isAllowed: true,
        made: () => thingOf({ kind: name, path: `${root}/${id}`, id, owner, canary, sees }),
      };
    },
    reads: ({ path }) => [{ method: 'GET', path }],
    change: ({ path }, canary) => ({ method: 'PUT', path, body: change(canary) }),
    remove: ({ path }) => ({ method: 'DELETE', path }),
  };
}

const plans = record(
  'plan',
  `${V1}/plans`,
  'plan_id',
  (canary) => ({ session_id: 's', goal_event: 'g', goal_data: { canary } }),
  (canary) => ({ state: { canary } }),
  isOfUser,
);
const sessions = record(
  'session',
  `${V1}/sessions`,
  'session_id',
  (canary) => ({ metadata: { canary } }),
  (canary) => ({ metadata: { canary } }),
  isOfUser,
);
const tasks = record(
  'task',
  `${V1}/task-context`,
  'task_id',
  (canary) => ({ plan_id: 'p1', event_type: 'e', response_event: 'r', data: { canary } }),
  (canary) => ({ state: { canary } }),
  isOfTenant,
);

const working: Sort = {
  name: 'working',
  make: (random, owner, canary) => {
    const id = `key-${random.word()}`;
    const path = `${V1}/working/p1/${id}`;
    return {
      call: { method: 'PUT', path, body: { value: { canary } } },
      isAllowed: true,
      made: () => thingOf({ kind: 'working', path, id, owner, canary, sees: isOfTenant }),
    };
  },
  reads: ({ path }) => [{ method: 'GET', path }],
  remove: ({ path }) => ({ method: 'DELETE', path }),
};

/** Of an agent in a session; who has no agent names one. */
const shortTerm: Sort = {
  name: 'short-term',
  make: (random, owner, canary) => {
    const id = `key-${random.word()}`;
    const agentId = owner.agentId ?? 'a1';
    const path = `${V1}/short-term/s1/${id}?agent_id=${agentId}`;
    const sees: Fields['sees'] = (thing, actor) =>
      isOfUser(thing, actor) && (actor.agentId === undefined || actor.agentId === agentId);
    return {
      call: { method: 'PUT', path, body: { value: { canary } } },
      isAllowed: true,
      made: () => thingOf({ kind: 'short-term', path, id, owner, canary, sees }),
    };
  },
  reads: ({ path }) => [{ method: 'GET', path }],
  remove: ({ path }) => ({ method: 'DELETE', path }),
};

/** What is asked, with a record of it. */
const receipts: Sort = {
  name: 'receipt',
  make: (_, owner, canary) => ({
    call: { method: 'POST', path: `${V1}/entries/search`, body: { query: `nothing ${canary}`, record: true } },
    isAllowed: true,
    made: (answer) => {
      const id = String(answer['receipt_id']);
      return thingOf({ kind: 'receipt', path: `${V1}/receipts/${id}`, id, owner, canary, sees: isOfUser });
    },
  }),
  reads: ({ path }) => [{ method: 'GET', path }],
  remove: ({ path }) => ({ method: 'DELETE', path }),
};

/** By the thing: who is in its lists. */
export const lists = new WeakMap<Thing, PoolModel>();

/** Ids of users and of agents, some of them both. */
export const MEMBERS = ['u1', 'u10', 'a1', 'a10', '%', 'root'];

/** An owner is in no list. */
export function isOwnId({ userId, agentId }: Actor, id: string): boolean {
  return id === userId || id === agentId;
}

function shared(name: string, root: string, idField: string, extra: object): Sort {
  return {
    name,
    make: (random, owner, canary) => {
      const id = `${name}-${random.word()}`;
      const some = (): string[] => MEMBERS.filter((each) => !isOwnId(owner, each) && random.below(5) === 0);
      const access = { read: some(), write: some(), publicRead: random.below(6) === 0 };
      const onTheWire = { read: access.read, write: access.write, public_read: access.publicRead };
      const model = new PoolModel(owner, false, access);
      return {
        call: { method: 'POST', path: root, body: { [idField]: id, name: canary, access: onTheWire, ...extra } },
        isAllowed: true,
        made: () => {
          const thing = thingOf({
            kind: name,
            path: `${root}/${id}`,
            id,
            owner,
            canary,
            sees: (self, other) => isOfTenant(self, other) && model.isReadableBy(other),
            changes: (self, other) => isOfTenant(self, other) && model.isOwnedBy(other),
          });
          lists.set(thing, model);
          return thing;
        },
      };
    },
    reads: ({ path }) => [{ method: 'GET', path }],
    change: ({ path }, canary) => ({ method: 'PUT', path, body: { name: canary } }),
    remove: ({ path }) => ({ method: 'DELETE', path }),
    attacks: ({ path }) => [
      { method: 'GET', path: `${path}/accessible-by/u1` },
      ...(name === 'pool'
        ? [
            { method: 'GET', path: `${path}/data` },
            { method: 'GET', path: `${path}/statistics` },
            { method: 'PUT', path: `${path}/data/x`, body: { value: 1 } },
            { method: 'POST', path: `${path}/grants`, body: { agent_id: 'u1', level: 'write' } },
          ]
        : [
            { method: 'GET', path: `${path}/entries` },
            { method: 'GET', path: `${path}/snapshots` },
            { method: 'GET', path: `${path}/accesses` },
            { method: 'GET', path: `${path}/export` },
            { method: 'POST', path: `${path}/search`, body: { query: 'memo' } },
            { method: 'POST', path: `${path}/clone`, body: {} },
            { method: 'PUT', path: `${path}/entries/x`, body: { content: 'memo' } },
            { method: 'PUT', path: `${path}/grants/u1`, body: { level: 'write' } },
          ]),
    ],
  };
}

const pools = shared('pool', `${V1}/pools`, 'pool_id', { type: 'team_shared', scope_id: 'team' });
const contexts = shared('context', `${V1}/contexts`, 'context_id', { type: 'knowledge_base' });

export const SORTS: readonly Sort[] = [
  entries,
  entries,
  entries,
  facts,
  plans,
  sessions,
  tasks,
  working,
  shortTerm,
  receipts,
  pools,
  contexts,
];
