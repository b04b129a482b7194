/** The service as it is configured: memory, its telemetry and the server before it, started and stopped together. */

import { LaminaError } from '../domain/error.ts';
import { createServer } from '../server/create-server.ts';
import type { LoggerOptions } from '../server/dependencies.ts';
import { createOpenTelemetry } from '../telemetry/open-telemetry.ts';
import { authenticationOf } from './authentication.ts';
import type { Configuration } from './configuration.ts';
import { embedderOf } from './embedders.ts';
import { engineAt } from './engines.ts';
import { Lamina } from './lamina.ts';

export interface Service {
  /** Where it answers, such as `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Lets requests under way finish, writes out what is pending, releases everything. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  readonly version: string;
  readonly logger: LoggerOptions;
}

/** Resolves once requests are served. Throws `CONFIGURATION_ERROR` or `UNAVAILABLE`, and then holds on to nothing. */
export async function startService(configuration: Configuration, options: ServiceOptions): Promise<Service> {
  const engine = engineAt(configuration.databaseUrl);
  const telemetry = createOpenTelemetry({ storageSize: () => engine.size() });
  const lamina = await Lamina.open({
    engine,
    embedder: embedderOf(configuration),
    limits: configuration.limits,
    telemetry,
  });
  const authenticate = authenticationOf(configuration, lamina);
  const server = createServer({
    invokeAs: (principal) => lamina.invokeAs(principal),
    health: () => lamina.health(),
    metrics: () => telemetry.metrics(),
    version: options.version,
    logger: options.logger,
    ...(authenticate && { authenticate }),
  });
  // In this order: the server may still be answering from memory while it drains.
  const close = async (): Promise<void> => {
    await server.close();
    await lamina.close();
    await telemetry.shutdown();
  };
  try {
    await assertUsable(lamina);
    return { url: await server.listen({ host: configuration.host, port: configuration.port }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A folder that cannot be written should stop the start, not the first request. */
async function assertUsable(lamina: Lamina): Promise<void> {
  const { status, components } = await lamina.health();
  if (status !== 'unhealthy') return;
  const reasons = Object.values(components).flatMap(({ message }) => message ?? []);
  throw new LaminaError('UNAVAILABLE', `The memory cannot be used. ${reasons.join(' ')}`.trim());
}
