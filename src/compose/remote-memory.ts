/** Memory behind a service, for one command. */

import { LaminaClient } from '../client/lamina-client.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';

export interface OpenMemory {
  readonly memory: Memory;
  /** The same as another principal sees it. */
  as(principal: PrincipalInput): Memory;
  close(): Promise<void>;
}

/** A command embeds more at once than any single call does. */
const TIMEOUT_MS = 15 * 60_000;

/** Throws `CONFIGURATION_ERROR` when the URL is none. */
export function remoteMemory(
  url: string,
  token: string | undefined,
  principal: PrincipalInput,
  timeoutMs: number = TIMEOUT_MS,
): OpenMemory {
  const client = new LaminaClient({ url, timeoutMs, ...(token !== undefined && { token }) });
  return { memory: client.as(principal), as: (other) => client.as(other), close: () => client.close() };
}
