/** What an adapter for somebody else's server is told, checked. */

import { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import type { ProviderConfig } from '../domain/provider.ts';
import type { Clock } from '../ports/clock.ts';
import type { GuardOptions } from './guarded-provider.ts';
import { machineClock } from './machine-clock.ts';
import { ProviderCall, type Fetch } from './provider-call.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/** What can be replaced when an adapter is made; everything else is told to `initialize`. */
export interface ForeignProviderOptions extends GuardOptions {
  readonly fetch?: Fetch;
}

/** What every server needs. */
export const serverConfigSchema = z.strictObject({
  baseUrl: z.string().min(1),
  apiKey: z.string().trim().min(1).optional(),
  /** For each request. */
  timeoutMs: z.int().min(1).default(DEFAULT_TIMEOUT_MS),
});

/** Throws `CONFIGURATION_ERROR`. */
export function configOf<Schema extends z.ZodType>(schema: Schema, config: ProviderConfig): z.output<Schema> {
  const parsed = schema.safeParse(config);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw new LaminaError(
    'CONFIGURATION_ERROR',
    `The configuration of the provider does not fit: ${problems.join('; ')}.`,
  );
}

export function callTo(
  who: string,
  { baseUrl, timeoutMs }: z.output<typeof serverConfigSchema>,
  headers: Readonly<Record<string, string>>,
  options: ForeignProviderOptions,
): ProviderCall {
  const clock: Clock = options.clock ?? machineClock;
  return new ProviderCall({
    who,
    baseUrl,
    headers,
    timeoutMs,
    // A browser's fetch must be called on its window.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    now: () => clock.now(),
  });
}
