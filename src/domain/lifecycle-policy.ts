/**
 * Configuration of the lifecycle: decay, consolidation and session clean-up, all off by default; what counts as a
 * duplicate; and how long events and access logs are kept.
 */

import { z } from 'zod';
import type { DecayConfig } from './decay.ts';
import { LaminaError } from './error.ts';
import { LAYERS, type Layer } from './scope.ts';

/** As the specification has it. */
export interface ConsolidationConfig {
  readonly enabled: boolean;
  /** Cosine similarity from which memories are merged. */
  readonly similarityThreshold: number;
  /** Similar memories are merged in places that hold more than this many. */
  readonly maxMemoriesBeforeTrigger: number;
  readonly targetLayers: readonly Layer[];
}

/** As the specification has it. */
export interface SessionCleanupConfig {
  /** Whether the memories of the session layer are deleted some time after the session ended. */
  readonly autoDelete: boolean;
  /** How long they are kept after the end: `7d`, `12h`. */
  readonly retentionPeriod: string;
  /** Whether important ones become memories of the user when the session ends. */
  readonly promoteImportant: boolean;
  /** Importance × confidence from which one is important. */
  readonly promotionThreshold: number;
}

/** What decides whether memories with similar embeddings say the same. */
export const SAME_BY = ['words', 'meaning'] as const;

/** What deduplication merges, and what a search shows only once. */
export interface DeduplicationConfig {
  /** `words`: texts that differ in any word are never the same. `meaning`: similarity and equal figures suffice. */
  readonly by: (typeof SAME_BY)[number];
}

export interface EventsConfig {
  /** How long the event log reaches back: `90d`, `52w`; `0` is for ever. */
  readonly retentionPeriod: string;
}

export interface ContextLogConfig {
  /** How long the access log of a context is kept: `90d`, `52w`; `0` is for ever. */
  readonly retentionPeriod: string;
}

export interface LifecyclePolicy {
  readonly decay: DecayConfig;
  readonly consolidation: ConsolidationConfig;
  readonly sessionCleanup: SessionCleanupConfig;
  readonly deduplication: DeduplicationConfig;
  readonly events: EventsConfig;
  readonly contextLog: ContextLogConfig;
}

/** A policy as given; omitted fields take their defaults. */
export type LifecycleOptions = { readonly [Part in keyof LifecyclePolicy]?: Partial<LifecyclePolicy[Part]> };

export const DEFAULT_LIFECYCLE_POLICY: LifecyclePolicy = {
  decay: { enabled: false, ratePerDay: 0.01, archiveThreshold: 0.1, exemptLayers: [] },
  consolidation: {
    enabled: false,
    similarityThreshold: 0.85,
    maxMemoriesBeforeTrigger: 1000,
    targetLayers: ['agent', 'user'],
  },
  sessionCleanup: { autoDelete: false, retentionPeriod: '7d', promoteImportant: false, promotionThreshold: 0.8 },
  deduplication: { by: 'words' },
  // As far back as growth can be shown.
  events: { retentionPeriod: '366d' },
  contextLog: { retentionPeriod: '366d' },
};

const HOURS = { h: 1, d: 24, w: 24 * 7 } as const;
const MS_PER_HOUR = 3_600_000;
const PERIOD = /^([1-9]\d{0,4})([hdw])$/;

/** The format of a period. */
export const PERIODS = 'a whole number of hours, days or weeks such as 12h, 7d or 4w';

/** The same, or forever. */
export const PERIODS_OR_FOREVER = `0 for ever, or ${PERIODS}`;

/** Milliseconds of a text such as `7d`; undefined if it is not a period. */
export function periodMs(text: string): number | undefined {
  const [, count, unit] = PERIOD.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  return Number(count) * HOURS[unit as keyof typeof HOURS] * MS_PER_HOUR;
}

const unit = z.number().min(0).max(1);
const layers = z.array(z.enum(LAYERS));
const period = z.string().refine((text) => periodMs(text) !== undefined, { message: `it accepts ${PERIODS}` });
const periodOrForever = z
  .string()
  .refine((text) => text === '0' || periodMs(text) !== undefined, { message: `it accepts ${PERIODS_OR_FOREVER}` });

/** The values that each part may have, by field. */
export const LIFECYCLE_SCHEMAS = {
  decay: z.strictObject({ enabled: z.boolean(), ratePerDay: unit, archiveThreshold: unit, exemptLayers: layers }),
  consolidation: z.strictObject({
    enabled: z.boolean(),
    similarityThreshold: unit,
    maxMemoriesBeforeTrigger: z.int().min(1).max(10_000_000),
    targetLayers: layers,
  }),
  sessionCleanup: z.strictObject({
    autoDelete: z.boolean(),
    retentionPeriod: period,
    promoteImportant: z.boolean(),
    promotionThreshold: unit,
  }),
  deduplication: z.strictObject({ by: z.enum(SAME_BY) }),
  events: z.strictObject({ retentionPeriod: periodOrForever }),
  contextLog: z.strictObject({ retentionPeriod: periodOrForever }),
} as const;

/** Throws `CONFIGURATION_ERROR` for invalid values. */
export function lifecyclePolicy(options: LifecycleOptions = {}): LifecyclePolicy {
  const { decay, consolidation, sessionCleanup, deduplication, events, contextLog } = DEFAULT_LIFECYCLE_POLICY;
  const given = {
    // Parts that are none as well, so that they are refused.
    ...options,
    decay: { ...decay, ...options.decay },
    consolidation: { ...consolidation, ...options.consolidation },
    sessionCleanup: { ...sessionCleanup, ...options.sessionCleanup },
    deduplication: { ...deduplication, ...options.deduplication },
    events: { ...events, ...options.events },
    contextLog: { ...contextLog, ...options.contextLog },
  };
  const parsed = z.strictObject(LIFECYCLE_SCHEMAS).safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new LaminaError('CONFIGURATION_ERROR', `The lifecycle cannot be like this: ${problems.join('; ')}.`);
}
