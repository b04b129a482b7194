/** One route per operation, straight from the table. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asLaminaError, LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Operation } from '../operations/operation.ts';
import { OPERATIONS, type CallName, type OperationName, type StreamName } from '../operations/table.ts';
import { wireOf } from '../operations/wire.ts';
import { sendAnswer, type Closing } from './answers.ts';
import { authenticateByHeaders, type Authenticate } from './authenticate.ts';
import { HEARTBEAT_MS, type ServerDependencies } from './dependencies.ts';
import { EventStreams } from './event-streams.ts';
import type { Gate } from './gate.ts';
import { withinSpan } from './observe-requests.ts';
import { onceClosed } from './once-closed.ts';
import { applyProtocolHeaders } from './protocol-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationName;
    /** Whether its answers are written by hand, see `answers.ts`. */
    isByHand?: boolean;
  }
  interface FastifyRequest {
    /** Known from the first hook on; there is no call without one. */
    principal: Principal | null;
  }
}

export function addOperationRoutes(
  app: FastifyInstance,
  dependencies: ServerDependencies,
  gate: Gate,
  closing: Closing,
): void {
  const authenticate = dependencies.authenticate ?? authenticateByHeaders();
  const streams = new EventStreams(dependencies.heartbeatMs ?? HEARTBEAT_MS);
  // Before the server waits for pending requests: streams would never end on their own.
  app.addHook('preClose', async () => streams.close());
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const { http, isStream }: Operation = OPERATIONS[name];
    const call = (request: FastifyRequest, reply: FastifyReply): void => {
      // Anything can be thrown, even a non-Error, which Fastify cannot handle.
      const failed = (thrown: unknown): void => void reply.send(asLaminaError(thrown, name));
      const principal = principalOf(request);
      gate.queue(principal, {
        work: () =>
          withinSpan(request, () =>
            dependencies.invokeAs(principal)(name as CallName, inputOf(name, request) as never),
          ),
        answer: (output) => {
          try {
            sendAnswer(name as CallName, request, reply, output, closing);
          } catch (thrown) {
            failed(thrown);
          }
        },
        failed,
      });
    };
    const follow = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      try {
        const principal = principalOf(request);
        const input = inputOf(name, request);
        onceClosed(reply, gate.streams.take(principal));
        return await streams.send(request, reply, {
          open: (signal) => dependencies.followAs(principal)(name as StreamName, input as never, signal),
          encode: (item) => wireOf(name).output.encode(item),
          authenticate: async () => authenticate(request.headers),
        });
      } catch (thrown) {
        throw asLaminaError(thrown, name);
      }
    };
    const serve = isStream ? follow : call;
    for (const path of [http.path, ...(http.aliases ?? [])]) {
      app.route({
        method: http.method,
        url: path.replace(/\{(\w+)\}/g, ':$1'),
        config: { operation: name, isByHand: !isStream },
        // Before the body is read, so that a stranger cannot make the service read one.
        onRequest: (request, reply, done) => {
          applyProtocolHeaders(reply, http, dependencies.version);
          const waiting = identify(gate, authenticate, request, reply);
          if (waiting === undefined) done();
          return waiting;
        },
        // Here and not in a hook: the body arrives as an event of the connection, outside of any span.
        handler: (request, reply) =>
          request.span === null ? serve(request, reply) : request.span.within(() => serve(request, reply)),
      });
    }
  }
}

/** Sets the principal. Returns undefined and not a promise if it is known at once, because this runs for every request. */
export function identify(
  gate: Gate,
  authenticate: Authenticate,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> | undefined {
  const principal = withinSpan(request, () => gate.rates.principal(request, reply, authenticate));
  if (principal instanceof Promise) return noteLater(request, principal);
  request.principal = principal;
  return undefined;
}

async function noteLater(request: FastifyRequest, principal: Promise<Principal>): Promise<void> {
  request.principal = await principal;
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

export function searchOf(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}
