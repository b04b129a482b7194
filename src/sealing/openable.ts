/** Whether the master key is the one by which the keys of a database are wrapped: asked before anything is done with it. */

import { LaminaError } from '../domain/error.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { MasterKey } from '../ports/master-key.ts';

/** So many tenants are looked at. */
const MAX_TENANTS = 32;

/**
 * Throws `CONFIGURATION_ERROR` where it is another one. Where each tenant has a master key of its own, some may be gone with
 * theirs: then it is wrong if it opens nothing. A key service that does not answer is told of when it is needed.
 */
export async function assertOpens(master: MasterKey, store: Pick<KeyStore, 'sample'>): Promise<void> {
  const refusals: LaminaError[] = [];
  const sample = await store.sample(MAX_TENANTS);
  for (const { tenantId, id: keyId, wrapped, masterId } of sample) {
    try {
      await master.unwrap(Buffer.from(wrapped, 'base64url'), { tenantId, keyId, masterId });
    } catch (error) {
      if (error instanceof LaminaError && error.code === 'CONFIGURATION_ERROR') refusals.push(error);
    }
  }
  const [refusal] = refusals;
  const isOneForAll = master.forget === undefined;
  if (refusal !== undefined && (isOneForAll || refusals.length === sample.length)) throw refusal;
}
