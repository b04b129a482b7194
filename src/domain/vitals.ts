/** How a running Lamina does, for people: how often it is asked, how fast it answers, and how its process is. */

import { z } from 'zod';
import { isoTime } from './entry.ts';
import { healthReportSchema } from './health.ts';

const ms = z.number().min(0).optional().describe('Absent where there was nothing to measure.');

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
    .describe('False where nobody counts, as in a program that embeds Lamina: then nothing is told of operations.'),
  windowSeconds: z.number().min(0).describe('What recent figures are of: five minutes at most, less at the beginning.'),
  operations: z
    .array(operationRatesSchema)
    .describe('Most often asked first. Percentiles are read from a histogram, and as exact as its buckets.'),
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
      .describe('How late the event loop was, lately. Only where it is measured.'),
  }),
  health: healthReportSchema,
});

export type VitalsOutput = z.output<typeof vitalsOutputSchema>;

/** What telemetry knows of it. */
export type MeasuredVitals = Pick<VitalsOutput, 'windowSeconds' | 'operations' | 'errors'> & {
  readonly eventLoopDelayMs: NonNullable<VitalsOutput['process']['eventLoopDelayMs']>;
};
