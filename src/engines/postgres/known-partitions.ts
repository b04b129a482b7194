/** Partitions that are there as far as is known, so that whoever writes to them only has to lock them. */

import { LRUCache } from 'lru-cache';

const MAX_TENANTS = 1000;
/** Of a tenant. */
const MAX_KNOWN = 1000;

/** Somebody else may have emptied one meanwhile, and with that removed it: who then writes to it collides, and opens it again. */
export class KnownPartitions {
  readonly #keys = new LRUCache<string, LRUCache<string, true>>({ max: MAX_TENANTS });

  areKnown(tenantId: string, keys: readonly string[]): boolean {
    const known = this.#keys.get(tenantId);
    return known !== undefined && keys.every((key) => known.get(key));
  }

  /** Once they are committed. */
  add(tenantId: string, keys: Iterable<string>): void {
    const known = this.#keys.get(tenantId) ?? new LRUCache({ max: MAX_KNOWN });
    this.#keys.set(tenantId, known);
    for (const key of keys) known.set(key, true);
  }

  /** When something was removed, because that may have been the last of its partition; and when somebody collided. */
  forget(tenantId: string): void {
    this.#keys.delete(tenantId);
  }
}
