/** Master keys for tests. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKey } from '../src/ports/master-key.ts';

/** One that lies in memory only, as a key service would be asked. */
export function memoryMasterKey(): MasterKey {
  const key = randomBytes(32);
  const iv = Buffer.alloc(16);
  return {
    idFor: () => 'memory',
    wrap: async (bytes) => createCipheriv('aes-256-ctr', key, iv).update(bytes),
    unwrap: async (bytes) => createDecipheriv('aes-256-ctr', key, iv).update(bytes),
  };
}
