/** System routes: health, metrics, OpenAPI and the documentation. */

import type { FastifyInstance } from 'fastify';
import { LaminaError } from '../domain/error.ts';
import { openApiDocument } from '../operations/openapi-document.ts';
import { healthReportSchema, type HealthReport } from '../domain/health.ts';
import { compileMapper } from '../operations/wire-mapper.ts';
import { jsonSchemaOf } from '../operations/wire-schema.ts';
import type { ServerDependencies } from './dependencies.ts';
import { renderDocs } from './docs-page.ts';
import type { Gate } from './gate.ts';

const STATUS_OF: Record<HealthReport['status'], 200 | 503> = { healthy: 200, degraded: 200, unhealthy: 503 };

/** Not rate-limited, and served even while other requests are refused. */
const VITAL = { config: { isVital: true } } as const;

export function addSystemRoutes(
  app: FastifyInstance,
  dependencies: ServerDependencies,
  { pressure }: Gate,
  state: { readonly isClosing: boolean },
): void {
  const healthMapper = compileMapper(jsonSchemaOf(healthReportSchema, 'output'));
  // Both are built on the first request, so that they do not slow down the start.
  const openApi = once(() => openApiDocument(dependencies.version));
  const docs = once(() => renderDocs(openApi()));

  app.get('/live', VITAL, async () => ({ status: 'live' }));
  app.get('/ready', VITAL, async (_request, reply) => {
    const isLeaving = pressure.isHigh || state.isClosing;
    const status = isLeaving ? 503 : STATUS_OF[(await checkHealth(dependencies)).status];
    return reply.status(status).send({ status: status === 200 ? 'ready' : 'not_ready' });
  });
  app.get('/health', VITAL, async (_request, reply) => {
    const report = await checkHealth(dependencies);
    return reply.status(STATUS_OF[report.status]).send(healthMapper.encode(report));
  });
  app.get('/metrics', VITAL, async (_request, reply) => {
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await dependencies.metrics());
  });
  app.get('/openapi.json', async () => openApi());
  app.get('/docs', async (_request, reply) => {
    const { html, contentSecurityPolicy } = docs();
    return reply.type('text/html; charset=utf-8').header('Content-Security-Policy', contentSecurityPolicy).send(html);
  });
}

async function checkHealth(dependencies: ServerDependencies): Promise<HealthReport> {
  try {
    return await dependencies.health();
  } catch (cause) {
    throw new LaminaError('UNAVAILABLE', 'The health of the service could not be told.', {
      operation: 'health',
      cause,
    });
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
