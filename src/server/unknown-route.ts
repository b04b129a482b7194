/** The answer to an unknown path: suggests what exists instead. */

import type { FastifyInstance } from 'fastify';
import { LaminaError } from '../domain/error.ts';

/** Call before routes are added: it records each as it is added. */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const routes: { readonly pattern: RegExp; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(`^${url.replaceAll('.', '\\.').replaceAll('*', '.*').replace(/:\w+/g, '[^/]+')}$`);
    routes.push({ pattern, methods: [method].flat() });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods));
    if (allowed.size === 0) {
      throw new LaminaError('NOT_FOUND', 'There is nothing at this path. /docs lists what there is.');
    }
    const methods = [...allowed].toSorted();
    reply.header('Allow', methods.join(', '));
    throw new LaminaError('METHOD_NOT_ALLOWED', `This path has no ${request.method}; it has ${methods.join(', ')}.`, {
      details: { allowed: methods },
    });
  });
}
