/** The vital signs of a running Lamina, for people: request rates, latencies and the state of its process. */

import { z } from 'zod';
import { isoTime } from './entry.ts';
import { healthReportSchema } from './health.ts';

const ms = z.number().min(0).optional().describe('Absent if there was nothing to measure.');

const ratesSchema = z.strictObject({
  count: z.int().min(0),
  errors: z.int().min(0),
  perSecond: z.number().min(0),
  p50Ms: ms,
  p95Ms: ms,
  p99Ms: ms,
});

export type Rates = z.output<typeof ratesSchema>;

const operationRatesSchema = z.strictObject({
  operation: z.string(),
  total: ratesSchema.describe('Since the start.'),
  recent: ratesSchema.describe('Of the last windowSeconds.'),
});

export const vitalsInputSchema = z.strictObject({});

export const vitalsOutputSchema = z.strictObject({
  startedAt: isoTime,
  uptimeSeconds: z.number().min(0),
  isMeasured: z
    .boolean()
    .describe(
      'False if nothing is counted, as in a program that embeds Lamina: then there are no figures for operations.',
    ),
  windowSeconds: z
    .number()
    .min(0)
    .describe('The window of the recent figures: at most five minutes, less after a start.'),
  operations: z
    .array(operationRatesSchema)
    .describe('Most frequent first. Percentiles come from a histogram and are as exact as its buckets.'),
  errors: z
    .array(z.strictObject({ operation: z.string(), code: z.string(), count: z.int().min(0) }))
    .describe('Since the start, most frequent first.'),
  process: z.strictObject({
    rssBytes: z.int(),
    heapBytes: z.int(),
    externalBytes: z.int(),
    cpuSeconds: z.number(),
    eventLoopDelayMs: z
      .strictObject({ mean: z.number(), p99: z.number(), max: z.number() })
      .optional()
      .describe('Recent event loop delay. Only if it is measured.'),
  }),
  health: healthReportSchema,
});

export type VitalsOutput = z.output<typeof vitalsOutputSchema>;

/** The part that telemetry knows. */
export type MeasuredVitals = Pick<VitalsOutput, 'windowSeconds' | 'operations' | 'errors'> & {
  readonly eventLoopDelayMs: NonNullable<VitalsOutput['process']['eventLoopDelayMs']>;
};
