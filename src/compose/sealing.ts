/** Encryption at rest as it is configured. */

import { indexedLexemes } from '../core/remember/content.ts';
import { sealedElsewhere } from '../engines/sql/key-row.ts';
import type { Clock } from '../ports/clock.ts';
import type { Engine } from '../ports/engine.ts';
import type { HotStore } from '../ports/hot-store.ts';
import type { MasterKey } from '../ports/master-key.ts';
import { fileMasterKey } from '../sealing/file-master-key.ts';
import { guardedHotStore } from '../sealing/guarded-hot-store.ts';
import { assertOpens } from '../sealing/openable.ts';
import { isSealedEngine, sealedEngine, sealedHotStore } from '../sealing/sealed-engine.ts';

export { fileMasterKey };

/** How many tenants are checked for keys. */
const SAMPLED = 32;

/** Undefined where nothing is sealed. Throws `CONFIGURATION_ERROR`. */
export function masterKeyOf(settings: {
  readonly masterKey?: MasterKey | undefined;
  readonly masterKeyFile?: string | undefined;
}): MasterKey | undefined {
  const { masterKey, masterKeyFile } = settings;
  return masterKey ?? (masterKeyFile === undefined ? undefined : fileMasterKey(masterKeyFile));
}

/** Throws `CONFIGURATION_ERROR` where something is sealed that this master key does not open, or that needs one. */
export async function assertSealedBy({ keys }: Engine, master: MasterKey | undefined): Promise<void> {
  if (master !== undefined) return assertOpens(master, keys);
  if ((await keys.sample(SAMPLED)).length > 0) throw sealedElsewhere();
}

/** The engine as it is where there is no master key, or where it is sealed already. */
export function sealedWith(engine: Engine, master: MasterKey | undefined, clock: Clock): Engine {
  if (master === undefined || isSealedEngine(engine)) return engine;
  return sealedEngine(engine, { master, clock, lexemesOf: indexedLexemes });
}

/** A hot store beside an engine: sealed where that one is, and guarded where it is not. `open` is given what lies underneath. */
export async function hotBeside(engine: Engine, open: (engine: Engine) => Promise<HotStore>): Promise<HotStore> {
  if (!isSealedEngine(engine)) return guardedHotStore(await open(engine), engine.keys, sealedElsewhere);
  return sealedHotStore(await open(engine.underneath), engine);
}
