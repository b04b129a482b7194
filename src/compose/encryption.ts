/** The keys of a database, for whoever holds it and its master key. */

import type { AuditAction } from '../domain/audit.ts';
import { LaminaError } from '../domain/error.ts';
import type { HotStore } from '../ports/hot-store.ts';
import { createKeyFile } from '../sealing/file-master-key.ts';
import type { ResealWork } from '../sealing/resealed.ts';
import { GRACE_MS, rewrapTenant, rotateTenant, sealTenant, type Rotation } from '../sealing/rotation.ts';
import { isSealedEngine, type SealedEngine } from '../sealing/sealed-engine.ts';
import { sealingStatus, type SealingStatus } from '../sealing/sealing-status.ts';
import type { Configuration } from './configuration.ts';
import { openEngine } from './engines.ts';
import { operatorEntry } from './operator-audit.ts';
import { redisOf } from './redis-options.ts';
import { systemClock } from './system.ts';

export { createKeyFile };
export type { Rotation, SealingStatus };

/** Going through everything takes longer than anything that a service asks for. */
const DATABASE_TIMEOUT_MS = 15 * 60_000;
const PAGE_SIZE = 500;

export interface EncryptionOptions extends Pick<ResealWork, 'signal' | 'told'> {
  /** Milliseconds for which a retired key is kept at least. */
  readonly graceMs?: number | undefined;
}

export interface DatabaseEncryption {
  tenants(): Promise<string[]>;
  status(tenantId: string): Promise<SealingStatus>;
  /** Seals what is not. How many values that were. */
  seal(tenantId: string): Promise<number>;
  rotate(tenantId: string): Promise<Rotation>;
  /** How many keys were wrapped anew. */
  rotateMaster(tenantId: string): Promise<number>;
  close(): Promise<void>;
}

/** Throws `CONFIGURATION_ERROR`, also where there is no master key, and `UNAVAILABLE`. */
export async function databaseEncryption(
  configuration: Configuration,
  options: EncryptionOptions = {},
): Promise<DatabaseEncryption> {
  if (configuration.masterKeyFile === undefined) throw withoutKey();
  const engine = await openEngine({ ...configuration, databaseTimeoutMs: DATABASE_TIMEOUT_MS });
  if (!isSealedEngine(engine)) throw withoutKey();
  try {
    return encryptionOver(engine, options, await hotOf(configuration, engine));
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Closes the engine and the hot store with it. */
export function encryptionOver(
  engine: SealedEngine,
  { signal, told, graceMs = GRACE_MS }: EncryptionOptions = {},
  hot?: HotStore,
): DatabaseEncryption {
  const { keyring, resealing, archive, audit, underneath } = engine;
  const work = (): ResealWork => ({ keyring, resealing, hot, signal, told, unreadable: new Map() });
  const note = (action: AuditAction, about: Record<string, string | number>): Promise<void> =>
    audit.recordBeyond(operatorEntry(action, about));
  return {
    tenants: async () => {
      const ids: string[] = [];
      for (let page = await archive.tenants(PAGE_SIZE); page.length > 0;) {
        ids.push(...page);
        page = await archive.tenants(PAGE_SIZE, page.at(-1));
      }
      return ids;
    },
    status: (tenantId) => sealingStatus(underneath, hot, tenantId),
    seal: async (tenantId) => {
      const sealed = await sealTenant(work(), tenantId);
      await note('encryption.seal', { tenantId, sealed });
      return sealed;
    },
    rotate: async (tenantId) => {
      const rotation = await rotateTenant(work(), tenantId, graceMs);
      await note('encryption.rotate', { tenantId, destroyed: rotation.destroyed.join(' ') });
      return rotation;
    },
    rotateMaster: async (tenantId) => {
      const count = await rewrapTenant(work(), tenantId);
      if (count > 0) await note('encryption.rotateMaster', { tenantId, masterId: keyring.master.idFor(tenantId) });
      return count;
    },
    close: async () => {
      await hot?.close();
      await engine.close();
    },
  };
}

async function hotOf(configuration: Configuration, engine: SealedEngine): Promise<HotStore | undefined> {
  const redis = redisOf(configuration);
  if (redis === undefined) return undefined;
  const { openRedis } = await import('./redis.ts');
  return openRedis(redis, engine.underneath, systemClock);
}

function withoutKey(): LaminaError {
  return new LaminaError(
    'CONFIGURATION_ERROR',
    'There is no master key. Make one with lamina encryption create-key FILE, and set LAMINA_MASTER_KEY_FILE to it.',
  );
}
