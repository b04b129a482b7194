/**
 * What Lamina is measured against: Fastify with nothing around it. For each request that is measured it has a route
 * that answers with bytes that it was given, and one that asks the library and lets Fastify turn the output into JSON.
 */

import { fastify } from 'fastify';
import { Lamina } from '../../src/compose/lamina.ts';
import type { Memory } from '../../src/operations/memory.ts';

export interface BareRoute {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly url: string;
  readonly status: number;
  readonly body: string;
}

export interface BareTask {
  readonly folder: string;
  readonly userId: string;
  readonly routes: readonly BareRoute[];
}

/** Under this the routes stand that ask the library. */
export const LIBRARY_PREFIX = '/library';

interface Asked {
  readonly params: Record<string, string>;
  readonly query: Record<string, string>;
  readonly body: unknown;
}

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

async function serve({ folder, userId, routes }: BareTask): Promise<number> {
  const memory = (await Lamina.open({ folder })).as({ userId });
  const app = fastify();
  for (const { method, url, status, body } of routes) {
    app.route({
      method,
      url,
      handler: async (_request, reply) => reply.status(status).type('application/json; charset=utf-8').send(body),
    });
    const ask = LIBRARY[`${method} ${url}`];
    if (!ask) throw new Error(`No way to ask the library for ${method} ${url}.`);
    app.route<{ Params: Asked['params']; Querystring: Asked['query']; Body: unknown }>({
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
