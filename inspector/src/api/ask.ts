/** The one way to the service: the client of the package, as whoever is signed in. */

import { LaminaClient, type LaminaClientOptions } from '../../../src/client/lamina-client.ts';
import { asLaminaError, type LaminaError } from '../../../src/domain/error.ts';
import type { HealthReport } from '../../../src/domain/health.ts';
import type { Memory } from '../../../src/operations/memory.ts';
import { fetchNoted } from './reachable.ts';
import { credential, principal, refuse } from './session.ts';

export type { Memory } from '../../../src/operations/memory.ts';

const requestIds = new WeakMap<LaminaError, string>();

/** By which the service's log knows the request that failed. */
export function requestIdOf(error: LaminaError): string | undefined {
  return requestIds.get(error);
}

/** That it was called off, because nobody waits for it any more. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/**
 * Asks, and gives the answer or throws a `LaminaError`. A refused credential brings the sign-in up. What is called off by
 * the signal throws an `AbortError`.
 */
export async function ask<T>(question: (memory: Memory) => Promise<T>, signal?: AbortSignal): Promise<T> {
  return call((client) => question(client.as(principal.peek())), signal);
}

/** How the service is; needs nobody to be signed in. */
export function askHealth(signal?: AbortSignal): Promise<HealthReport> {
  return call((client) => client.health(), signal);
}

async function call<T>(work: (client: LaminaClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
  let requestId: string | null = null;
  const token = credential.peek();
  const client = clientOver(async (url, init) => {
    const signals = [init.signal, signal].filter((one) => one !== null && one !== undefined);
    const response = await fetchNoted(url, { ...init, signal: AbortSignal.any(signals) });
    requestId = response.headers.get('X-Request-ID');
    return response;
  });
  try {
    return await work(client);
  } catch (thrown) {
    signal?.throwIfAborted();
    const error = asLaminaError(thrown);
    if (requestId !== null) requestIds.set(error, requestId);
    if (error.code === 'UNAUTHORIZED') refuse(error.message, token);
    throw error;
  }
}

/** A person sees a failure at once and can try again; waiting behind their back would only look slow. */
function clientOver(fetchOver: NonNullable<LaminaClientOptions['fetch']>): LaminaClient {
  const token = credential.peek();
  return new LaminaClient({
    url: window.location.origin,
    ...(token !== undefined && { token }),
    retry: { maxAttempts: 1 },
    fetch: fetchOver,
  });
}

/** For what is followed, such as events: comes back by itself after an outage, until the signal ends it. */
export function following(): Memory {
  const token = credential.peek();
  const client = new LaminaClient({
    url: window.location.origin,
    ...(token !== undefined && { token }),
    fetch: fetchNoted,
  });
  return client.as(principal.peek());
}
