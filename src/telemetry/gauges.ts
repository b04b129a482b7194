/** What is asked for when the metrics are read: how much is stored, and what there is to do at the moment. */

import type { Layer } from '../domain/scope.ts';
import type { EngineLoad } from '../ports/telemetry.ts';
import type { Instruments } from './instruments.ts';

export interface GaugeSources {
  /** How many memories there are, by layer. Counting them all takes a while, so it is asked for now and then only. */
  readonly storageSize?: () => Promise<Partial<Record<Layer, number>>>;
  /** Whether this process does the work that only one should do. */
  readonly isLeader?: () => boolean;
  readonly load?: () => EngineLoad;
  /** Whether the hot store can be reached; undefined where there is none. */
  readonly isHotStoreUp?: () => boolean | undefined;
}

/** However often somebody reads the metrics, the memories are counted once in this time. */
const SIZE_LIFETIME_MS = 30_000;

/** While `isGlance` says so nothing is counted that it takes a while to count. */
export function addGauges(instruments: Instruments, sources: GaugeSources, isGlance = (): boolean => false): void {
  const { storageSize, isLeader, load, isHotStoreUp } = sources;
  if (storageSize) {
    const size = remembered(storageSize, SIZE_LIFETIME_MS);
    instruments.gauge('memory.storage.size', async (observed) => {
      if (isGlance()) return;
      for (const [layer, count] of Object.entries(await size())) observed.observe(count, { layer });
    });
  }
  if (isLeader) instruments.gauge('lamina.leader', (observed) => observed.observe(isLeader() ? 1 : 0));
  if (isHotStoreUp) {
    instruments.gauge('lamina.hot_store.up', (observed) => {
      const isUp = isHotStoreUp();
      if (isUp !== undefined) observed.observe(isUp ? 1 : 0);
    });
  }
  if (load) addLoad(instruments, load);
}

function addLoad(instruments: Instruments, load: () => EngineLoad): void {
  instruments.gauge('lamina.commit.pending', (observed) => {
    const { pendingWrites } = load();
    if (pendingWrites !== undefined) observed.observe(pendingWrites);
  });
  instruments.gauge('lamina.touches.pending', (observed) => {
    const { pendingTouches } = load();
    if (pendingTouches !== undefined) observed.observe(pendingTouches);
  });
  instruments.gauge('lamina.database.connections', (observed) => {
    const { connections } = load();
    if (connections === undefined) return;
    observed.observe(connections.used, { state: 'used' });
    observed.observe(connections.idle, { state: 'idle' });
  });
  instruments.gauge('lamina.database.waiting', (observed) => {
    const { connections } = load();
    if (connections !== undefined) observed.observe(connections.waiting);
  });
}

/** Asks again only when the last answer is older than that; those who ask meanwhile wait for the same one. */
export function remembered<T>(ask: () => Promise<T>, lifetimeMs: number): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at >= lifetimeMs) {
      const value = ask();
      const asked = { at: now, value };
      last = asked;
      // A failure is not worth remembering.
      value.catch(() => {
        if (last === asked) last = undefined;
      });
    }
    return last.value;
  };
}
