/** `lamina reindex`: builds the index of vectors in Qdrant anew from the database, and counts both. */

import { loadConfiguration } from '../compose/configuration.ts';
import { shownAddress } from '../compose/database-address.ts';
import { flagOf, SETTINGS } from '../compose/settings.ts';
import { principalSchema } from '../domain/principal.ts';
import { readFlagValues, usageError, type Command } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { ProgressBar } from './progress-bar.ts';

const FLAGS = ['config', 'databaseUrl', 'qdrantUrl'] as const;

export const reindex: Command = {
  name: 'reindex',
  summary: 'Build the index of vectors in Qdrant anew.',
  help: () =>
    [
      reindex.summary,
      '',
      'Usage: lamina reindex [--tenant UUID] [flags]',
      '',
      'Writes every vector of the configured embedding model from the database to Qdrant, removes what the database does not',
      'have, and counts both in the end. The service may go on meanwhile: until a tenant is done its searches use the database',
      'alone. One that was interrupted goes on where it stopped. Only needed after a database was restored from a backup:',
      'what a lost or lagging index lacks is written by itself.',
      '',
      '  --tenant\n      This tenant only.',
      ...FLAGS.map((key) => `  --${flagOf(key)} (${SETTINGS[key].variable})\n      ${SETTINGS[key].description}`),
      '',
    ].join('\n'),
  async run(args) {
    const values = readFlagValues(reindex.name, args, ['tenant', ...FLAGS.map(flagOf)]);
    const tenantId = tenantFrom(values.get('tenant'));
    const flags = Object.fromEntries(
      FLAGS.flatMap((key) => (values.has(flagOf(key)) ? [[key, values.get(flagOf(key))]] : [])),
    );
    const configuration = await loadConfiguration(process.env, flags);
    // What it needs is loaded only now, so that help and refusals come at once.
    const { reindexConfigured } = await import('../compose/reindex.ts');
    const bar = new ProgressBar(process.stderr, () => performance.now());
    try {
      const { tenants, vectors, space } = await reindexConfigured(configuration, {
        tenantId,
        signal: new AbortController().signal,
        progress: ({ done, total, tenantsDone, tenants: all }) =>
          bar.show({ done, total, label: `tenant ${Math.min(tenantsDone + 1, all)} of ${all}` }),
      });
      bar.clear();
      process.stdout.write(
        `Indexed ${shownAddress(configuration.databaseUrl)}: ${vectors} vectors of ${space.model} of ${tenants} ` +
          `${tenants === 1 ? 'tenant' : 'tenants'}, both counts are the same.\n`,
      );
    } finally {
      bar.clear();
    }
    return EXIT_CODES.ok.code;
  },
};

function tenantFrom(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const { success, data } = principalSchema.shape.tenantId.safeParse(text);
  if (!success) throw usageError('--tenant accepts a UUID.', reindex.name);
  return data;
}
