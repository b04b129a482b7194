/** Any provider behind retries and a circuit breaker of its own. */

import { CircuitBreaker, withBreaker, type CircuitPolicy } from '../domain/circuit-breaker.ts';
import type { ComponentHealth } from '../domain/health.ts';
import type {
  DeclaringProvider,
  HealthCheckResult,
  MemoryProviderAdapter,
  ProviderCapability,
} from '../domain/provider.ts';
import { DEFAULT_RETRY_POLICY, type Random, type RetryPolicy } from '../domain/retry.ts';
import type { Clock } from '../ports/clock.ts';
import { machineClock } from './machine-clock.ts';

export interface GuardOptions {
  /** Replaces parts of the default policy; `{ maxAttempts: 1 }` turns retries off. */
  readonly retry?: Partial<RetryPolicy>;
  /** When a provider that keeps failing is left alone, and for how long. */
  readonly circuit?: CircuitPolicy;
  readonly clock?: Clock;
  /** For jitter between attempts. */
  readonly random?: Random;
}

/**
 * The same provider; calls that fail for a reason that can pass are tried again. Adding is tried again only when the
 * provider said that it did not do it (`RATE_LIMITED`): an answer that got lost may have been a success. While the circuit
 * is open every call fails at once with `UNAVAILABLE`, and the provider is unhealthy without being asked.
 */
export function guardedProvider(
  inner: MemoryProviderAdapter & Partial<Pick<DeclaringProvider, 'absent'>>,
  options: GuardOptions = {},
): DeclaringProvider {
  const { clock = machineClock, random = Math.random } = options;
  const retry = { ...DEFAULT_RETRY_POLICY, ...options.retry };
  const once = { ...retry, retryableCodes: retry.retryableCodes.filter((code) => code === 'RATE_LIMITED') };
  const breaker = new CircuitBreaker(`The provider ${inner.name}`, () => clock.now(), options.circuit);
  const sleep = (ms: number): Promise<void> => clock.sleep(ms);
  const patiently = <T>(work: () => Promise<T>): Promise<T> => withBreaker(breaker, { retry, sleep, random }, work);
  const carefully = <T>(work: () => Promise<T>): Promise<T> =>
    withBreaker(breaker, { retry: once, sleep, random }, work);
  const absent: readonly ProviderCapability[] = inner.absent ?? [];
  return {
    name: inner.name,
    version: inner.version,
    absent,
    initialize: (config) => inner.initialize(config),
    shutdown: () => inner.shutdown(),
    healthCheck: () => healthOf(inner, breaker),
    add: (input) => carefully(() => inner.add(input)),
    search: (input) => patiently(() => inner.search(input)),
    get: (input) => patiently(() => inner.get(input)),
    update: (input) => patiently(() => inner.update(input)),
    delete: (input) => patiently(() => inner.delete(input)),
    list: (input) => patiently(() => inner.list(input)),
    generateEmbedding: (content) => patiently(() => inner.generateEmbedding(content)),
    ...(inner.bulkAdd && { bulkAdd: (inputs) => carefully(async () => (await inner.bulkAdd?.(inputs)) ?? []) }),
    ...(inner.bulkDelete && {
      bulkDelete: (ids) => patiently(async () => (await inner.bulkDelete?.(ids)) ?? { deleted: 0, failed: ids }),
    }),
  };
}

async function healthOf(inner: MemoryProviderAdapter, breaker: CircuitBreaker): Promise<HealthCheckResult> {
  const circuit = circuitHealth(breaker);
  if (breaker.status === 'open') return { status: 'unhealthy', latencyMs: 0, components: { circuit } };
  const { status, latencyMs, components } = await inner.healthCheck();
  const isImpaired = status === 'healthy' && circuit.status !== 'healthy';
  return { status: isImpaired ? 'degraded' : status, latencyMs, components: { ...components, circuit } };
}

function circuitHealth({ status, retryAfterMs }: CircuitBreaker): ComponentHealth {
  if (status === 'closed') return { status: 'healthy' };
  if (status === 'half-open') return { status: 'degraded', message: 'The next call shows whether it is back.' };
  const seconds = Math.ceil(retryAfterMs / 1000);
  return { status: 'unhealthy', message: `It kept failing and is left alone for another ${seconds} s.` };
}
