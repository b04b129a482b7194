/** The service as it is configured: memory, its telemetry and the server before it, started and stopped together. */

import { LaminaError } from '../domain/error.ts';
import { OpenAiEmbedder } from '../embedding/openai/openai-embedder.ts';
import { createServer } from '../server/create-server.ts';
import type { LoggerOptions } from '../server/dependencies.ts';
import { createOpenTelemetry } from '../telemetry/open-telemetry.ts';
import type { Configuration } from './configuration.ts';
import { Lamina, type LaminaOptions } from './lamina.ts';
import { sqliteFolder } from './settings.ts';
import { systemClock } from './system.ts';

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
  const telemetry = createOpenTelemetry();
  const lamina = await Lamina.open({ ...memoryOptions(configuration), telemetry });
  const server = createServer({
    invokeAs: (principal) => lamina.invokeAs(principal),
    health: () => lamina.health(),
    metrics: () => telemetry.metrics(),
    version: options.version,
    logger: options.logger,
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
    throw whyNotListening(error, configuration);
  }
}

function memoryOptions({ databaseUrl, limits, ...provider }: Configuration): LaminaOptions {
  const folder = sqliteFolder(databaseUrl);
  const embedder = provider.embeddings === 'openai' ? openAiEmbedder(provider) : undefined;
  return { limits, ...(folder !== undefined && { folder }), ...(embedder && { embedder }) };
}

type Provider = Pick<Configuration, 'openaiBaseUrl' | 'openaiApiKey' | 'embeddingModel'>;

function openAiEmbedder({ openaiBaseUrl, openaiApiKey, embeddingModel }: Provider): OpenAiEmbedder {
  return new OpenAiEmbedder({
    clock: systemClock,
    baseUrl: openaiBaseUrl,
    apiKey: openaiApiKey,
    ...(embeddingModel !== undefined && { model: embeddingModel }),
  });
}

/** A folder that cannot be written should stop the start, not the first request. */
async function assertUsable(lamina: Lamina): Promise<void> {
  const { status, components } = await lamina.health();
  if (status !== 'unhealthy') return;
  const reasons = Object.values(components ?? {}).flatMap(({ message }) => message ?? []);
  throw new LaminaError('UNAVAILABLE', `The memory cannot be used. ${reasons.join(' ')}`.trim());
}

/** What the operating system says about an address, in words that lead to the setting. */
function whyNotListening(error: unknown, { host, port }: Configuration): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new LaminaError(
        'UNAVAILABLE',
        `Port ${port} of ${host} is in use already. Stop what listens there, or choose another with LAMINA_PORT or ` +
          '--port (0 takes any free one).',
      );
    case 'EACCES':
      return new LaminaError(
        'CONFIGURATION_ERROR',
        `This user may not listen on port ${port}. Choose one above 1023 with LAMINA_PORT or --port.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new LaminaError(
        'CONFIGURATION_ERROR',
        `This machine has no address ${host}. Choose another with LAMINA_HOST or --host.`,
      );
    default:
      return error;
  }
}
