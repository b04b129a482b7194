/** One route per operation, straight from the table. */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { isAbsence, type Operation } from '../operations/operation.ts';
import { OPERATIONS, type OperationName } from '../operations/table.ts';
import { wireOf } from '../operations/wire.ts';
import { authenticateByHeaders } from './authenticate.ts';
import type { ServerDependencies } from './dependencies.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationName;
  }
  interface FastifyRequest {
    /** Known from the first hook on; there is no call without one. */
    principal: Principal | null;
  }
}

export function addOperationRoutes(app: FastifyInstance, dependencies: ServerDependencies): void {
  const authenticate = dependencies.authenticate ?? authenticateByHeaders;
  app.decorateRequest('principal', null);
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const operation: Operation = OPERATIONS[name];
    app.route({
      method: operation.http.method,
      url: operation.http.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { operation: name },
      // Before the body is read, so that a stranger cannot make the service read one.
      onRequest: async (request) => {
        request.principal = await authenticate(request.headers);
      },
      handler: async (request, reply) => {
        try {
          const output = await run(name, operation, dependencies, request);
          reply.status(operation.http.status);
          const version = versionOf(output);
          if (version !== undefined) reply.header('ETag', `"${version}"`);
          return operation.empty ? null : wireOf(name).output.encode(output);
        } catch (thrown) {
          // Anything can be thrown, also what is no Error; Fastify would not know what to do with that.
          throw asLaminaError(thrown, name);
        }
      },
    });
  }
}

async function run(
  name: OperationName,
  operation: Operation,
  dependencies: ServerDependencies,
  request: FastifyRequest,
): Promise<object> {
  if (!request.principal) throw new LaminaError('UNAUTHORIZED', 'Nobody is asking.');
  const input = wireOf(name).decodeRequest({
    path: request.params as Record<string, string>,
    search: searchOf(request.raw.url ?? ''),
    body: request.body,
    ifMatch: request.headers['if-match'],
    ifNoneMatch: request.headers['if-none-match'],
  });
  const output: object | null = await dependencies.invokeAs(request.principal)(name, input as never);
  if (output === null || isAbsence(operation, output)) {
    const code = operation.absent?.code ?? 'NOT_FOUND';
    const thing = code === 'MEMORY_NOT_FOUND' ? 'memory' : 'thing';
    throw new LaminaError(code, `There is no such ${thing}, or it is not yours to see.`);
  }
  return output;
}

/** The version of what is answered, or of the entry in it. */
function versionOf(output: object): number | undefined {
  const memory: unknown = 'memory' in output ? output.memory : output;
  const version: unknown = (memory as { readonly version?: unknown } | null)?.version;
  return typeof version === 'number' ? version : undefined;
}

function searchOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}
