/** An engine of which all that people want remembered is sealed: it sees sealed text and marks, and knows no keys. */

import type { Engine } from '../ports/engine.ts';
import type { Clock } from '../ports/clock.ts';
import type { Erasure, ErasureWork } from '../ports/erasure.ts';
import type { HotStore } from '../ports/hot-store.ts';
import type { MasterKey } from '../ports/master-key.ts';
import type { SpaceStore } from '../ports/space-store.ts';
import type { Upkeep } from '../ports/upkeep.ts';
import { Keyring } from './keyring.ts';
import { sealedArchive, type LexemesOf } from './sealed-archive.ts';
import { SealedEntries } from './sealed-entries.ts';
import { openedEntries, openedTexts } from './sealed-entry.ts';
import { SealedFacts } from './sealed-facts.ts';
import { SealedHotStore } from './sealed-hot-store.ts';
import { sealedRecordStores } from './sealed-records.ts';
import { SealedState } from './sealed-state.ts';
import type { TenantKeys } from './tenant-keys.ts';

export interface SealingOptions {
  readonly master: MasterKey;
  readonly clock: Clock;
  readonly lexemesOf: LexemesOf;
}

export interface SealedEngine extends Engine {
  /** What it stands before. */
  readonly underneath: Engine;
  readonly keyring: Keyring;
}

export function isSealedEngine(engine: Engine): engine is SealedEngine {
  return 'keyring' in engine && engine.keyring instanceof Keyring;
}

export function sealedEngine(engine: Engine, { master, clock, lexemesOf }: SealingOptions): SealedEngine {
  const keyring = new Keyring({ store: engine.keys, master, archive: engine.archive, clock });
  return {
    name: engine.name,
    underneath: engine,
    keyring,
    entries: new SealedEntries(engine.entries, keyring),
    state: new SealedState(engine.state, keyring),
    records: sealedRecordStores(engine.records, keyring),
    facts: new SealedFacts(engine.facts, keyring),
    audit: engine.audit,
    erasure: sealedErasure(engine.erasure, keyring),
    archive: sealedArchive(engine.archive, keyring, lexemesOf),
    events: engine.events,
    leadership: engine.leadership,
    upkeep: sealedUpkeep(engine.upkeep, keyring),
    inspector: engine.inspector,
    spaces: sealedSpaces(engine.spaces, keyring),
    keys: engine.keys,
    resealing: engine.resealing,
    size: () => engine.size(),
    load: () => engine.load?.() ?? {},
    check: () => engine.check(),
    close: () => engine.close(),
  };
}

/** The same for a hot store beside it. What stands in for that one is the engine underneath. */
export function sealedHotStore(hot: HotStore, { keyring }: SealedEngine): HotStore {
  return new SealedHotStore(hot, keyring);
}

function sealedUpkeep(upkeep: Upkeep, keyring: Keyring): Upkeep {
  return {
    removeExpired: async (tenantId, at, limit) => {
      // Before, because what is gone cannot be asked for again with other keys.
      const keys = (await keyring.read(tenantId)).sure();
      const { ids, texts } = await upkeep.removeExpired(tenantId, at, limit);
      return { ids, texts: texts.flatMap((text) => openedTexts(keys, text)) };
    },
    pruneEvents: (tenantId, at, limit) => upkeep.pruneEvents(tenantId, at, limit),
    changes: (tenantId, after, limit) => upkeep.changes(tenantId, after, limit),
    points: (tenantId, space, ids) => upkeep.points(tenantId, space, ids),
    countPoints: (tenantId, space) => upkeep.countPoints(tenantId, space),
  };
}

function sealedSpaces(spaces: SpaceStore, keyring: Keyring): SpaceStore {
  return {
    read: () => spaces.read(),
    change: (next) => spaces.change(next),
    open: (space) => spaces.open(space),
    unembedded: (tenantId, space, limit, after) =>
      keyring.reading(tenantId, async (keys) => {
        const { entries, next } = await spaces.unembedded(tenantId, space, limit, after);
        return { entries: openedEntries(keys, entries), next };
      }),
    countUnembedded: (tenantId, space) => spaces.countUnembedded(tenantId, space),
    fill: (tenantId, fills) => spaces.fill(tenantId, fills),
    drop: (tenantId, space, limit) => spaces.drop(tenantId, space, limit),
  };
}

/** The keys of a tenant go first: whatever is left should it fail cannot be read any more, and it can be repeated. */
function sealedErasure(erasure: Erasure, keyring: Keyring): Erasure {
  return {
    eraseUser: async (principal, user, work) =>
      erasure.eraseUser(principal, user, opening(await keyring.read(principal.tenantId), work)),
    eraseTenant: async (principal, work) => {
      const { tenantId } = principal;
      const keys = await keyring.read(tenantId);
      if (keys.isThere) await keyring.store.change(tenantId, () => []);
      const entry = await erasure.eraseTenant(principal, opening(keys, work));
      keyring.drop(tenantId);
      await keyring.master.forget?.(tenantId);
      return entry;
    },
    countUser: (principal, user) => erasure.countUser(principal, user),
    countTenant: (principal) => erasure.countTenant(principal),
  };
}

function opening(keys: TenantKeys, work: ErasureWork): ErasureWork {
  const sure = keys.sure();
  return { ...work, forget: (texts) => work.forget(texts.flatMap((text) => openedTexts(sure, text))) };
}
