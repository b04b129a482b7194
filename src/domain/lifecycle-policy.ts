/** What may be decided about the life of memories: decay, consolidation and the clean-up of sessions, all off by default; and what is the same. */

import { z } from 'zod';
import type { DecayConfig } from './decay.ts';
import { LaminaError } from './error.ts';
import { LAYERS, type Layer } from './scope.ts';

/** As the specification has it. */
export interface ConsolidationConfig {
  readonly enabled: boolean;
  /** Cosine similarity from which memories are merged. */
  readonly similarityThreshold: number;
  /** A place that holds more than so many has its similar memories merged. */
  readonly maxMemoriesBeforeTrigger: number;
  readonly targetLayers: readonly Layer[];
}

/** As the specification has it. */
export interface SessionCleanupConfig {
  /** Whether the memories of the session layer go once the session is over for long enough. */
  readonly autoDelete: boolean;
  /** How long they are kept after the end: `7d`, `12h`. */
  readonly retentionPeriod: string;
  /** Whether important ones become memories of the user when the session ends. */
  readonly promoteImportant: boolean;
  /** Importance × confidence from which one is important. */
  readonly promotionThreshold: number;
}

/** By what memories that look alike to an embedding say the same. */
export const SAME_BY = ['words', 'meaning'] as const;

/** What deduplication merges, and of what a search shows only one. */
export interface DeduplicationConfig {
  /** `words`: nothing is taken for the same that says anything else. `meaning`: similarity alone, and the same figures. */
  readonly by: (typeof SAME_BY)[number];
}

export interface LifecyclePolicy {
  readonly decay: DecayConfig;
  readonly consolidation: ConsolidationConfig;
  readonly sessionCleanup: SessionCleanupConfig;
  readonly deduplication: DeduplicationConfig;
}

/** A policy as it is given: what is left out is as by default. */
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
};

const HOURS = { h: 1, d: 24, w: 24 * 7 } as const;
const MS_PER_HOUR = 3_600_000;
const PERIOD = /^([1-9]\d{0,4})([hdw])$/;

/** What a period of time looks like. */
export const PERIODS = 'a whole number of hours, days or weeks such as 12h, 7d or 4w';

/** Milliseconds of a text such as `7d`; undefined for what is none. */
export function periodMs(text: string): number | undefined {
  const [, count, unit] = PERIOD.exec(text) ?? [];
  if (count === undefined || unit === undefined) return undefined;
  return Number(count) * HOURS[unit as keyof typeof HOURS] * MS_PER_HOUR;
}

const unit = z.number().min(0).max(1);
const layers = z.array(z.enum(LAYERS));

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
    retentionPeriod: z.string().refine((text) => periodMs(text) !== undefined, { message: `it accepts ${PERIODS}` }),
    promoteImportant: z.boolean(),
    promotionThreshold: unit,
  }),
  deduplication: z.strictObject({ by: z.enum(SAME_BY) }),
} as const;

/** Throws `CONFIGURATION_ERROR` for values that cannot be. */
export function lifecyclePolicy(options: LifecycleOptions = {}): LifecyclePolicy {
  const { decay, consolidation, sessionCleanup, deduplication } = DEFAULT_LIFECYCLE_POLICY;
  const given = {
    // Parts that are none as well, so that they are refused.
    ...options,
    decay: { ...decay, ...options.decay },
    consolidation: { ...consolidation, ...options.consolidation },
    sessionCleanup: { ...sessionCleanup, ...options.sessionCleanup },
    deduplication: { ...deduplication, ...options.deduplication },
  };
  const parsed = z.strictObject(LIFECYCLE_SCHEMAS).safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new LaminaError('CONFIGURATION_ERROR', `The lifecycle cannot be like this: ${problems.join('; ')}.`);
}
