/** Memory behind a service, for one command. */

import { LaminaClient } from '../client/lamina-client.ts';
import { LOCAL_USER, type PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';

export interface OpenMemory {
  readonly memory: Memory;
  /** The same as another principal sees it. */
  as(principal: PrincipalInput): Memory;
  close(): Promise<void>;
}

/** A command embeds more at once than any single call does. */
const TIMEOUT_MS = 15 * 60_000;

interface RemoteOptions {
  readonly timeoutMs?: number;
  /** Whether the command names the user. Else it is that of the token. */
  readonly isUserNamed?: boolean;
}

/** Throws `CONFIGURATION_ERROR` if the URL is invalid. */
export function remoteMemory(
  url: string,
  token: string | undefined,
  principal: PrincipalInput,
  { timeoutMs = TIMEOUT_MS, isUserNamed = false }: RemoteOptions = {},
): OpenMemory {
  const client = new LaminaClient({ url, timeoutMs, ...(token !== undefined && { token }) });
  const as = (who: PrincipalInput): Memory =>
    token !== undefined && who.userId === LOCAL_USER ? client.as() : client.as(who);
  return { memory: isUserNamed ? client.as(principal) : as(principal), as, close: () => client.close() };
}
