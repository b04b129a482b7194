/** Asks a service for its health. */

import { healthReportSchema, type HealthReport } from '../domain/health.ts';
import { compileMapper } from '../operations/wire-mapper.ts';
import { jsonSchemaOf } from '../operations/wire-schema.ts';
import { errorOf } from './answer-error.ts';
import type { Exchange } from './exchange.ts';

/** An unhealthy service still answers with its report. */
export async function fetchHealth(exchange: Exchange): Promise<HealthReport> {
  const answer = await exchange({ method: 'GET', url: '/health', headers: {} });
  const mapper = compileMapper(jsonSchemaOf(healthReportSchema, 'output'));
  const report = healthReportSchema.safeParse(mapper.decode(answer.json));
  if (!report.success) throw errorOf(answer, 'health', (path) => path);
  return report.data;
}
