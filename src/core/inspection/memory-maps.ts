/**
 * Maps of memory: computed one at a time in the background, cached for a while, and shown only to the caller they were made
 * for. The cache holds ids and coordinates. Texts are read when a map is shown, so that deleted ones never appear.
 */

import { LRUCache } from 'lru-cache';
import { partitionKey, partitionOf, reachOf, type Partition } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { MapInput, MapOutput, MapPoints } from '../../domain/inspection.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { paced } from '../maintenance/pace.ts';
import { isoAt } from '../records/record.ts';
import { identifiersOf, placementOf, scopesOf } from '../scoping.ts';
import { isOpen } from './inspected.ts';
import { labelOf } from './label.ts';
import { layOut, type LaidOut } from './lay-out.ts';

/** Maps that are kept, of whichever tenant: the largest takes a few megabytes. */
const MAX_KEPT = 32;

/** A stale map is recomputed after this long, and after ten times as long as it took to compute. */
const MIN_AGE_MS = 30_000;
const AGE_PER_EFFORT = 10;

/** Maps that wait to be made; whoever asks for another one is told to ask again. */
const MAX_WAITING = 16;

/** Entries that are read at a time to be shown. */
const BATCH = 500;

interface MadeMap extends LaidOut {
  /** Where the event log stood when it was begun. */
  readonly head: string;
  /** Milliseconds. */
  readonly at: number;
  readonly tookMs: number;
}

interface Slot {
  map?: MadeMap | undefined;
  /** 0 to 1 while one is being made. */
  progress?: number | undefined;
  failure?: unknown;
}

type Needs = Pick<Dependencies, 'entries' | 'events' | 'embedder' | 'layout' | 'clock'>;

export class MemoryMaps {
  readonly #needs: Needs;
  readonly #slots = new LRUCache<string, Slot>({ max: MAX_KEPT });
  /** One at a time: each takes a processor for seconds. */
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  async read(principal: Principal, input: MapInput): Promise<MapOutput> {
    const { entries, embedder } = this.#needs;
    const partitions = partitionsOf(principal, input);
    const { model } = await embedder.space();
    const slot = this.#slotOf(principal, model, partitions);
    throwFailure(slot);
    const { map } = slot;
    const [total, isStale] = await Promise.all([
      entries.count(principal, { partitions }),
      map !== undefined && this.#hasChanged(principal, map),
    ]);
    if (this.#isDue(slot, isStale)) this.#make(slot, principal, partitions);
    if (map === undefined) return { status: 'computing', progress: slot.progress ?? 0, isStale: false, total };
    const computedAt = isoAt(map.at);
    const isKnown = input.since !== undefined && Date.parse(input.since) >= map.at;
    return {
      status: 'ready',
      progress: slot.progress ?? 1,
      isStale,
      computedAt,
      model: map.model,
      total,
      ...(!isKnown && { points: await this.#pointsOf(principal, map, partitions) }),
    };
  }

  /** Keyed by everything that determines its content, so that no caller sees a map made for another. */
  #slotOf({ tenantId, userId, agentId }: Principal, model: string, partitions: readonly Partition[]): Slot {
    const key = JSON.stringify([tenantId, userId, agentId ?? null, model, partitions.map(partitionKey)]);
    const slot = this.#slots.get(key) ?? {};
    this.#slots.set(key, slot);
    return slot;
  }

  /** Whether anything has happened since that this principal may know of. */
  async #hasChanged(principal: Principal, { head }: MadeMap): Promise<boolean> {
    try {
      return (await this.#needs.events.read(principal, head, 1)).items.length > 0;
    } catch (error) {
      // The log is another one by now: all of it was erased, or restored.
      if (error instanceof LaminaError && error.code === 'VALIDATION_FAILED') return true;
      throw error;
    }
  }

  #isDue({ map, progress }: Slot, isStale: boolean): boolean {
    if (progress !== undefined || this.#waiting >= MAX_WAITING) return false;
    if (map === undefined) return true;
    return isStale && this.#needs.clock.now() - map.at >= Math.max(MIN_AGE_MS, AGE_PER_EFFORT * map.tookMs);
  }

  #make(slot: Slot, principal: Principal, partitions: readonly Partition[]): void {
    slot.progress = 0;
    this.#waiting += 1;
    const make = async (): Promise<void> => {
      const { clock, events } = this.#needs;
      const begun = clock.now();
      try {
        const head = await events.head(principal);
        const laidOut = await layOut(this.#needs, principal, partitions, slot.map, (share) => {
          slot.progress = share;
        });
        const at = clock.now();
        slot.map = { ...laidOut, head, at, tookMs: at - begun };
      } catch (error) {
        // Told to whoever asks next, for whom it is then tried again.
        slot.failure = error;
      }
      slot.progress = undefined;
      this.#waiting -= 1;
    };
    this.#queue = this.#queue.then(make);
  }

  async #pointsOf(principal: Principal, map: MadeMap, partitions: readonly Partition[]): Promise<MapPoints> {
    const { entries, clock } = this.#needs;
    const points: MapPoints = { ids: [], x: [], y: [], layers: [], kinds: [], createdAt: [], labels: [] };
    const reach = new Set(partitions.map(partitionKey));
    const isShown = (entry: Entry): boolean =>
      isOpen(principal, entry) && reach.has(partitionKey(partitionOf(placementOf(entry))));
    const rest = paced(clock);
    for (let start = 0; start < map.ids.length; start += BATCH) {
      const ids = map.ids.slice(start, start + BATCH);
      const found = new Map((await entries.find(principal, ids)).map((entry) => [entry.id, entry]));
      for (const [index, id] of ids.entries()) {
        const entry = found.get(id);
        if (entry !== undefined && isShown(entry)) addPoint(points, entry, map.positions, start + index);
      }
      if (start + BATCH < map.ids.length) await rest();
    }
    return points;
  }
}

function partitionsOf(principal: Principal, { layers, kinds, identifiers, includeArchived }: MapInput): Partition[] {
  const scopes = scopesOf(identifiersOf(principal, identifiers), layers);
  return reachOf(principal, scopes, kinds, includeArchived === true ? 'all' : 'active');
}

function throwFailure(slot: Slot): void {
  const { failure } = slot;
  if (failure === undefined) return;
  slot.failure = undefined;
  throw failure;
}

function addPoint(points: MapPoints, entry: Entry, positions: Float32Array, at: number): void {
  const { id, layer, kind, createdAt, content } = entry;
  points.ids.push(id);
  points.x.push(rounded(positions[2 * at]));
  points.y.push(rounded(positions[2 * at + 1]));
  points.layers.push(layer);
  points.kinds.push(kind);
  points.createdAt.push(createdAt);
  points.labels.push(labelOf(content));
}

/** Finer than a screen can show, in a fraction of the text. */
function rounded(value = 0): number {
  return Math.round(value * 1e4) / 1e4 + 0;
}
