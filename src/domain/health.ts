/** The health of a running Lamina. */

import { z } from 'zod';

const statusSchema = z.enum(['healthy', 'degraded', 'unhealthy']);

const componentSchema = z.strictObject({ status: statusSchema, message: z.string().optional() });

export const healthReportSchema = z.strictObject({
  status: statusSchema.describe('degraded: works in part. unhealthy: does not work.'),
  latencyMs: z.number().describe('How long the check took.'),
  components: z.record(z.string(), componentSchema).describe('The parts, by name.'),
});

export type HealthReport = z.output<typeof healthReportSchema>;
export type ComponentHealth = z.output<typeof componentSchema>;
