/** How memory fades. Computed when read, so that no row is rewritten merely because time passed. */

import type { Entry } from './entry.ts';
import type { Layer } from './scope.ts';

const MS_PER_DAY = 86_400_000;

/** Recency halves in a month: long enough not to bury entries that are merely older. */
export const RECENCY_HALF_LIFE_DAYS = 30;

/** As the specification has it. */
export interface DecayConfig {
  readonly enabled: boolean;
  /** Share of the relevance that is lost in a day, 0 to 1. */
  readonly ratePerDay: number;
  /** Entries below this relevance are archived. */
  readonly archiveThreshold: number;
  /** Layers that never decay. */
  readonly exemptLayers: readonly Layer[];
}

/** The formula of the specification: `initial × (1 − rate × factor) ^ days`. Stays within 0 and `initial`. */
export function decayedRelevance(initial: number, ratePerDay: number, decayFactor: number, ageMs: number): number {
  const days = Math.max(0, ageMs) / MS_PER_DAY;
  return initial * (1 - ratePerDay * decayFactor) ** days;
}

/** 1 when new, 0.5 after one half-life, approaching 0. */
export function recency(ageMs: number, halfLifeDays: number): number {
  return 0.5 ** (Math.max(0, ageMs) / MS_PER_DAY / halfLifeDays);
}

/** How many times slower an entry decays after so many reads: 1 for none, 2 for fifteen. */
export function rehearsal(accessCount: number): number {
  return 1 + Math.log2(1 + accessCount) / 4;
}

type Fading = Pick<
  Entry,
  'layer' | 'identifiers' | 'status' | 'relevance' | 'decayFactor' | 'accessCount' | 'updatedAt' | 'lastAccessedAt'
>;

/**
 * Its current relevance: days count from the last write or read, and count for less the more often it was read. So an
 * unread entry follows the formula of the specification, and a used one stays. Undefined if it does not decay: decay is
 * off, the layer is exempt, it is archived, or a context holds it, which has a measure of its own.
 */
export function currentRelevance(entry: Fading, config: DecayConfig, now: number): number | undefined {
  if (!config.enabled || config.exemptLayers.includes(entry.layer)) return undefined;
  if (entry.status === 'archived' || entry.status === 'quarantined' || entry.identifiers.contextId !== undefined)
    return undefined;
  const { relevance, decayFactor, accessCount } = entry;
  return decayedRelevance(relevance, config.ratePerDay, decayFactor, (now - lastUse(entry)) / rehearsal(accessCount));
}

/** Milliseconds: when it was last written or read. */
export function lastUse({ updatedAt, lastAccessedAt }: Pick<Entry, 'updatedAt' | 'lastAccessedAt'>): number {
  return Math.max(Date.parse(updatedAt), lastAccessedAt === undefined ? 0 : Date.parse(lastAccessedAt));
}

/** Points on either side of now. */
const POINTS = 30;

export interface DecayPoint {
  /** Milliseconds. */
  readonly at: number;
  readonly relevance: number;
}

/** Its relevance from its last use through now until then, if nobody reads it. Constant if it does not decay. */
export function decayCurve(entry: Fading, config: DecayConfig, now: number, until: number): DecayPoint[] {
  const from = Math.min(lastUse(entry), now);
  const times = [...timesBetween(from, now), ...timesBetween(now, until), until];
  return times.map((at) => ({ at, relevance: currentRelevance(entry, config, at) ?? entry.relevance }));
}

/** The last one left out. */
function timesBetween(from: number, to: number): number[] {
  if (to <= from) return [];
  return Array.from({ length: POINTS }, (_, step) => Math.round(from + ((to - from) * step) / POINTS));
}

/** Milliseconds: when its relevance falls below a level, if nobody reads it; undefined if it never does. */
export function fadesBelow(entry: Fading, config: DecayConfig, level: number): number | undefined {
  const { relevance, decayFactor, accessCount } = entry;
  const start = lastUse(entry);
  if (relevance < level) return start;
  const kept = 1 - config.ratePerDay * decayFactor;
  if (currentRelevance(entry, config, start) === undefined || kept >= 1 || level <= 0) return undefined;
  const days = kept <= 0 ? 0 : Math.log(level / relevance) / Math.log(kept);
  return Math.ceil(start + days * MS_PER_DAY * rehearsal(accessCount));
}

/** Whether it counts as decayed: half of its relevance is gone, or what is left is too little to stay in use. */
export function hasDecayed(relevance: number, current: number, config: DecayConfig): boolean {
  return current < decayedLevel(relevance, config);
}

export function decayedLevel(relevance: number, { archiveThreshold }: DecayConfig): number {
  return Math.max(relevance / 2, archiveThreshold);
}
