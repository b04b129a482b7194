/** One route per operation, straight from the table. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Operation } from '../operations/operation.ts';
import { presentOutput } from '../operations/present-output.ts';
import { OPERATIONS, type CallName, type Invoke, type OperationName, type StreamName } from '../operations/table.ts';
import { wireOf } from '../operations/wire.ts';
import { authenticateByHeaders } from './authenticate.ts';
import { HEARTBEAT_MS, type ServerDependencies } from './dependencies.ts';
import { EventStreams } from './event-streams.ts';
import type { Gate } from './gate.ts';
import { withinSpan } from './observe-requests.ts';
import { applyProtocolHeaders } from './protocol-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationName;
  }
  interface FastifyRequest {
    /** Known from the first hook on; there is no call without one. */
    principal: Principal | null;
  }
}

export function addOperationRoutes(app: FastifyInstance, dependencies: ServerDependencies, gate: Gate): void {
  const authenticate = dependencies.authenticate ?? authenticateByHeaders();
  const streams = new EventStreams(dependencies.heartbeatMs ?? HEARTBEAT_MS);
  // Before the server waits for what is under way: streams would never end by themselves.
  app.addHook('preClose', async () => streams.close());
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const operation: Operation = OPERATIONS[name];
    const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      try {
        const principal = principalOf(request);
        const input = inputOf(name, request);
        if (!operation.isStream) {
          const output = await gate.pass(principal, () =>
            run(name as CallName, dependencies.invokeAs(principal), input),
          );
          return answer(name, reply, output);
        }
        reply.raw.once('close', gate.streams.take(principal));
        return await streams.send(request, reply, {
          open: (signal) => dependencies.followAs(principal)(name as StreamName, input as never, signal),
          encode: (item) => wireOf(name).output.encode(item),
          authenticate: async () => authenticate(request.headers),
        });
      } catch (thrown) {
        // Anything can be thrown, also what is no Error; Fastify would not know what to do with that.
        throw asLaminaError(thrown, name);
      }
    };
    for (const path of [operation.http.path, ...(operation.http.aliases ?? [])]) {
      app.route({
        method: operation.http.method,
        url: path.replace(/\{(\w+)\}/g, ':$1'),
        config: { operation: name },
        // Before the body is read, so that a stranger cannot make the service read one.
        onRequest: async (request, reply) => {
          applyProtocolHeaders(reply, operation.http, dependencies.version);
          const identify = (): Principal | Promise<Principal> => authenticate(request.headers);
          request.principal = await withinSpan(request, () => gate.rates.principal(request, reply, identify));
        },
        // Here and not in a hook: the body arrives as an event of the connection, which is a part of nothing.
        handler: (request, reply) => withinSpan(request, () => serve(request, reply)),
      });
    }
  }
}

export function principalOf({ principal }: FastifyRequest): Principal {
  if (!principal) throw new LaminaError('UNAUTHORIZED', 'Nobody is asking.');
  return principal;
}

function inputOf(name: OperationName, request: FastifyRequest): unknown {
  const lastEventId = request.headers['last-event-id'];
  return wireOf(name).decodeRequest({
    path: request.params as Record<string, string>,
    search: searchOf(request.raw.url ?? ''),
    body: request.body,
    ifMatch: request.headers['if-match'],
    ifNoneMatch: request.headers['if-none-match'],
    lastEventId: Array.isArray(lastEventId) ? lastEventId.at(-1) : lastEventId,
  });
}

function answer(name: OperationName, reply: FastifyReply, output: object): unknown {
  const operation: Operation = OPERATIONS[name];
  reply.status(operation.http.status);
  const version = versionOf(output);
  if (version !== undefined) reply.header('ETag', `"${version}"`);
  if (operation.empty) return null;
  return wireOf(name).output.encode(output);
}

async function run(name: CallName, invoke: Invoke, input: unknown): Promise<object> {
  const operation: Operation = OPERATIONS[name];
  return presentOutput(operation, await invoke(name, input as never));
}

/** The version of what is answered, or of the entry in it. */
function versionOf(output: object): number | undefined {
  const memory: unknown = 'memory' in output ? output.memory : 'entry' in output ? output.entry : output;
  const version: unknown = (memory as { readonly version?: unknown } | null)?.version;
  return typeof version === 'number' ? version : undefined;
}

export function searchOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}
