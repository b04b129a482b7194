/** Rate limits: per address before authentication, per principal after it, and for wrong credentials. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Authenticate } from './authenticate.ts';
import { addressKey } from './client-address.ts';
import { CredentialChecks } from './credential-checks.ts';
import { RateLimit, type RateStanding } from './rate-limit.ts';
import type { ServiceLimits } from './service-limits.ts';
import { isUnheardProxy, warnOfUnheardProxy } from './unheard-proxy.ts';

type Rates = Pick<ServiceLimits, 'principalRate' | 'addressRate' | 'failureRate'>;

const limitOf = (perMinute: number): RateLimit | undefined => (perMinute > 0 ? new RateLimit(perMinute) : undefined);

export class RateLimits {
  readonly #addresses: RateLimit | undefined;
  readonly #principals: RateLimit | undefined;
  readonly #checks: CredentialChecks | undefined;
  /** Until one was found: it is reported once. */
  #looksForProxies: boolean;

  constructor(rates: Rates) {
    this.#addresses = limitOf(rates.addressRate);
    this.#principals = limitOf(rates.principalRate);
    const failures = limitOf(rates.failureRate);
    this.#checks = failures && new CredentialChecks(failures);
    this.#looksForProxies = this.#addresses !== undefined || failures !== undefined;
  }

  /** Throws `RATE_LIMITED` if the address asks too often. */
  countAddress(request: FastifyRequest, reply: FastifyReply): void {
    if (this.#looksForProxies && isUnheardProxy(request)) {
      this.#looksForProxies = false;
      warnOfUnheardProxy(request);
    }
    if (this.#addresses === undefined) return;
    const standing = this.#addresses.take(addressKey(request.ip));
    tell(reply, standing);
    if (!standing.isAllowed) throw limited('This address asks more often than it may.', standing);
  }

  /**
   * The principal, by `authenticate`, counted. Throws or rejects with `RATE_LIMITED` before the credential is examined if
   * this address has sent too many wrong ones, so that a correct guess is indistinguishable.
   */
  principal(request: FastifyRequest, reply: FastifyReply, authenticate: Authenticate): Principal | Promise<Principal> {
    const principal =
      this.#checks === undefined ? authenticate(request.headers) : this.#watched(this.#checks, request, authenticate);
    if (this.#principals === undefined) return principal;
    const principals = this.#principals;
    return principal instanceof Promise
      ? principal.then((known) => counted(principals, known, reply))
      : counted(principals, principal, reply);
  }

  async #watched(checks: CredentialChecks, request: FastifyRequest, authenticate: Authenticate): Promise<Principal> {
    const ended = await checks.begin(addressKey(request.ip), (standing) =>
      limited('Too many credentials from this address were wrong.', standing),
    );
    let isWrong = false;
    try {
      return await authenticate(request.headers);
    } catch (error) {
      isWrong = error instanceof LaminaError && error.code === 'UNAUTHORIZED';
      throw error;
    } finally {
      ended(isWrong);
    }
  }
}

function counted(principals: RateLimit, principal: Principal, reply: FastifyReply): Principal {
  const standing = principals.take(callerKey(principal));
  tell(reply, standing);
  if (!standing.isAllowed) throw limited('You ask more often than you may.', standing);
  return principal;
}

/**
 * A user's agents are counted separately, so that a runaway agent does not block the others. But not agents named by a
 * header: a caller could invent as many as it likes. A delegate is counted per user it acts for, so that users do not block
 * each other.
 */
export function callerKey({ tenantId, userId, agentId, holder }: Principal): string {
  return `${tenantId}\n${userId}\n${(holder === undefined ? agentId : holder.agentId) ?? ''}`;
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);

/** In the names of the IETF draft, and in those of the memory protocol. */
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
