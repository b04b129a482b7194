/**
 * The service in a process of its own, so that its memory can be measured: on the database that it is told, with tokens, and
 * with an embedder that costs nothing. Started by fuzzed-service.ts, which asks it over the channel between parent and child.
 */

import { authenticationOf } from '../../src/compose/authentication.ts';
import { Lamina } from '../../src/compose/lamina.ts';
import { createServer } from '../../src/server/create-server.ts';
import { HashEmbedder } from '../../src/testing/hash-embedder.ts';

const [database = '', jwtSecret = '', inspectorFolder = '', redis = ''] = process.argv.slice(2);

const lamina = await Lamina.open({ database, embedder: new HashEmbedder(), ...(redis !== '' && { redis }) });
const tokens = { auth: 'jwt', jwtSecret, jwksUrl: undefined, jwtIssuer: undefined, jwtAudience: undefined } as const;
const authenticate = authenticationOf(tokens, lamina);

const server = createServer({
  invokeAs: (principal) => lamina.invokeAs(principal),
  followAs: (principal) => lamina.followAs(principal),
  health: () => lamina.health(),
  metrics: async () => '',
  version: '0.0.0',
  // A machine that is busy with other tests is no reason to turn anybody away.
  limits: { loopDelayMs: 0 },
  logger: { level: 'error', stream: { write: (line) => void process.stderr.write(line) } },
  ...(authenticate && { authenticate }),
  ...(inspectorFolder !== '' && { inspectorFolder }),
});
const url = await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ url });

process.on('message', (message) => {
  if (message === 'memory') process.send?.({ memory: measured() });
});
// Whoever started us is gone.
process.on('disconnect', () => void close());

function measured(): { readonly rss: number; readonly heap: number } {
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external };
}

async function close(): Promise<void> {
  await server.close();
  await lamina.close();
  process.exit(0);
}
