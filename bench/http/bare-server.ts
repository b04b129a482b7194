/**
 * What Lamina is measured against: Fastify with nothing around it. For each request that is measured it has a route
 * that answers with bytes that it was given; one that runs the SQL before, which a Lamina that remembers nothing sends for that
 * request; and one that asks the library and lets Fastify turn the output into JSON.
 */

import { fastify } from 'fastify';
import { Lamina } from '../../src/compose/lamina.ts';
import { systemClock } from '../../src/compose/system.ts';
import { SqliteEngine } from '../../src/engines/sqlite/sqlite-engine.ts';
import type { Memory } from '../../src/operations/memory.ts';
import { databaseFile } from '../lamina-side.ts';
import { RawSide, type Cue } from '../raw-side.ts';
import { StatementTape } from '../statement-tape.ts';

export interface BareRoute {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly url: string;
  readonly status: number;
  readonly body: string;
  /** What it will be asked, where it is also to run the SQL of that. */
  readonly asks: readonly Asked[] | undefined;
}

export interface BareTask {
  readonly folder: string;
  /** With the same in it, for who has nothing but SQL. */
  readonly sqlFolder: string;
  readonly userId: string;
  readonly routes: readonly BareRoute[];
}

/** Under these the routes stand that ask the library, and that run SQL. */
export const LIBRARY_PREFIX = '/library';
export const SQL_PREFIX = '/sql';

export interface Asked {
  readonly params: Record<string, string>;
  readonly query: Record<string, string>;
  readonly body: unknown;
}

/** By what a request is recognised: as Fastify takes it apart. */
const nameOf = ({ params, query, body }: Asked): string => JSON.stringify([{ ...params }, { ...query }, body ?? null]);

type Ask = (memory: Memory, asked: Asked) => Promise<unknown>;

/** As somebody would write them by hand for the one case that is measured. */
const LIBRARY: Readonly<Record<string, Ask>> = {
  'GET /v1/memory/working/:plan_id/:key': ({ working }, { params }) =>
    working.get({ planId: params['plan_id'] ?? '', key: params['key'] ?? '' }),
  'PUT /v1/memory/working/:plan_id/:key': ({ working }, { params, body }) =>
    working.set({ ...(body as { value: string }), planId: params['plan_id'] ?? '', key: params['key'] ?? '' }),
  'GET /v1/memory/entries/:id': (memory, { params }) => memory.get({ id: params['id'] ?? '' }),
  'GET /v1/memory/entries': (memory, { query }) => memory.list({ layer: 'user', limit: Number(query['limit']) }),
  'POST /v1/memory/entries/search': (memory, { body }) => memory.search(body as Parameters<Memory['search']>[0]),
};

/** Runs the statements of each request that will come. */
async function sqlOf({ sqlFolder, userId, routes }: BareTask): Promise<(route: BareRoute, asked: Asked) => void> {
  const file = databaseFile(sqlFolder);
  const tape = new StatementTape(file);
  const engine = new SqliteEngine({ folder: sqlFolder, clock: systemClock, remembersSearches: false });
  const cues = new Map<BareRoute, Map<string, Cue>>();
  const raw = await tape.during(async () => {
    await using lamina = await Lamina.open({ engine });
    const memory = lamina.as({ userId });
    await memory.list({ layer: 'user', limit: 1 });
    const side = new RawSide(file, tape);
    for (const route of routes) {
      const ask = libraryCall(route);
      const ofRoute = new Map<string, Cue>();
      for (const asked of route.asks ?? []) {
        const { calls } = await tape.record(() => ask(memory, asked));
        ofRoute.set(nameOf(asked), side.cue(calls.filter(({ connection }) => connection === 'reading')));
      }
      cues.set(route, ofRoute);
    }
    return side;
  });
  return (route, asked) => {
    const cue = cues.get(route)?.get(nameOf(asked));
    if (cue === undefined) throw new Error(`Nobody said that this would be asked: ${nameOf(asked)}`);
    raw.play(cue);
  };
}

function libraryCall({ method, url }: BareRoute): Ask {
  const ask = LIBRARY[`${method} ${url}`];
  if (!ask) throw new Error(`No way to ask the library for ${method} ${url}.`);
  return ask;
}

interface Typed {
  Params: Asked['params'];
  Querystring: Asked['query'];
  Body: unknown;
}

async function serve(task: BareTask): Promise<number> {
  const runSql = await sqlOf(task);
  const memory = (await Lamina.open({ folder: task.folder })).as({ userId: task.userId });
  const app = fastify();
  for (const route of task.routes) {
    const { method, url, status, body } = route;
    const type = 'application/json; charset=utf-8';
    app.route({ method, url, handler: async (_request, reply) => reply.status(status).type(type).send(body) });
    app.route<Typed>({
      method,
      url: SQL_PREFIX + url,
      handler: async (request, reply) => {
        runSql(route, request);
        return reply.status(status).type(type).send(body);
      },
    });
    const ask = libraryCall(route);
    app.route<Typed>({
      method,
      url: LIBRARY_PREFIX + url,
      handler: async (request, reply) => reply.status(status).send(await ask(memory, request)),
    });
  }
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
}

process.once('message', (task) => {
  void serve(task as BareTask).then((port) => process.send?.({ kind: 'listening', port }));
});
