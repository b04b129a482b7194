/** The limits on rates: of an address before anybody knows who is asking, of a principal after that, and of wrong credentials. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import { addressKey } from './client-address.ts';
import { RateLimit, type RateStanding } from './rate-limit.ts';
import type { ServiceLimits } from './service-limits.ts';

type Rates = Pick<ServiceLimits, 'principalRate' | 'addressRate' | 'failureRate'>;

const limitOf = (perMinute: number): RateLimit | undefined => (perMinute > 0 ? new RateLimit(perMinute) : undefined);

export class RateLimits {
  readonly #addresses: RateLimit | undefined;
  readonly #principals: RateLimit | undefined;
  readonly #failures: RateLimit | undefined;

  constructor(rates: Rates) {
    this.#addresses = limitOf(rates.addressRate);
    this.#principals = limitOf(rates.principalRate);
    this.#failures = limitOf(rates.failureRate);
  }

  /** Throws `RATE_LIMITED` when the address asks too often. */
  countAddress(request: FastifyRequest, reply: FastifyReply): void {
    if (this.#addresses === undefined) return;
    const standing = this.#addresses.take(addressKey(request.ip));
    tell(reply, standing);
    if (!standing.isAllowed) throw limited('This address asks more often than it may.', standing);
  }

  /**
   * Who is asking, by `authenticate`, counted. Throws or rejects with `RATE_LIMITED`, for an address that has been wrong too often before its
   * credential is looked at: a right one among many guesses is not told from a wrong one.
   */
  principal(
    request: FastifyRequest,
    reply: FastifyReply,
    authenticate: () => Principal | Promise<Principal>,
  ): Principal | Promise<Principal> {
    const principal =
      this.#failures === undefined ? authenticate() : this.#watched(this.#failures, request, authenticate);
    if (this.#principals === undefined) return principal;
    const principals = this.#principals;
    return principal instanceof Promise
      ? principal.then((known) => counted(principals, known, reply))
      : counted(principals, principal, reply);
  }

  async #watched(
    failures: RateLimit,
    request: FastifyRequest,
    authenticate: () => Principal | Promise<Principal>,
  ): Promise<Principal> {
    const address = addressKey(request.ip);
    const standing = failures.look(address);
    if (!standing.isAllowed) throw limited('Too many credentials from this address were wrong.', standing);
    try {
      return await authenticate();
    } catch (error) {
      if (error instanceof LaminaError && error.code === 'UNAUTHORIZED') failures.take(address);
      throw error;
    }
  }
}

function counted(principals: RateLimit, principal: Principal, reply: FastifyReply): Principal {
  const standing = principals.take(callerKey(principal));
  tell(reply, standing);
  if (!standing.isAllowed) throw limited('You ask more often than you may.', standing);
  return principal;
}

/** One user's agents are counted apart: one that runs away does not stop the others. */
export function callerKey({ tenantId, userId, agentId }: Principal): string {
  return `${tenantId}\n${userId}\n${agentId ?? ''}`;
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** As the IETF's draft names them, and as the memory protocol does. */
function tell(reply: FastifyReply, { limit, remaining, resetMs }: RateStanding): void {
  const reset = seconds(resetMs);
  reply.headers({
    'ratelimit-limit': limit,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': reset,
    'x-rate-limit-remaining': remaining,
    'x-rate-limit-reset': reset,
  });
}

function limited(message: string, { limit, retryAfterMs }: RateStanding): LaminaError {
  return new LaminaError(
    'RATE_LIMITED',
    `${message} Wait ${seconds(retryAfterMs)} s; the limit is ${limit} a minute.`,
    {
      details: { limit, retryAfterMs: Math.ceil(retryAfterMs) },
    },
  );
}
