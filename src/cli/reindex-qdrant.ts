/** `lamina reindex qdrant`: builds the index of vectors in Qdrant anew from the database, and counts both. */

import { shownAddress } from '../compose/database-address.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command } from './command.ts';
import { tenantFrom } from './memory-flags.ts';
import { storedConfiguration } from './open-memory.ts';
import { progressBar } from './terminal/progress-bar.ts';
import { memorySettingFlags, settingsFrom, variablesAmong } from './setting-flags.ts';

const SETTINGS_TAKEN = ['config', 'databaseUrl', 'qdrantUrl'] as const;

export const reindexQdrant: Command = {
  name: 'qdrant',
  summary: 'Build the index of vectors in Qdrant anew.',
  flags: [
    { name: 'tenant', value: 'UUID', description: 'This tenant only', fallback: 'all' },
    ...memorySettingFlags(SETTINGS_TAKEN),
    JSON_FLAG,
  ],
  variables: variablesAmong(SETTINGS_TAKEN),
  examples: [
    {
      line: 'lamina reindex qdrant --database sqlite:data --qdrant-url http://127.0.0.1:6333',
      does: 'After the database was restored from a backup.',
    },
  ],
  notes: [
    'Writes every vector of the model in use from the database to Qdrant, removes what the database does not have, and',
    'counts both in the end. The service may go on meanwhile: until a tenant is done its searches use the database alone.',
    'One that was interrupted goes on where it stopped. Only needed after a database was restored from a backup: what a',
    'lost or lagging index lacks is written by itself.',
  ].join('\n'),
  async run(given) {
    const tenantId = tenantFrom(given);
    const configuration = await storedConfiguration(given, settingsFrom(given, SETTINGS_TAKEN));
    // What it needs is loaded only now, so that help and refusals come at once.
    const { reindexConfigured } = await import('../compose/reindex.ts');
    const bar = progressBar(given);
    try {
      const { tenants, vectors, space } = await reindexConfigured(configuration, {
        tenantId,
        signal: given.signal,
        progress: ({ done, total, tenantsDone, tenants: all }) =>
          bar.show({ done, total, label: `tenant ${Math.min(tenantsDone + 1, all)} of ${all}` }),
      });
      bar.clear();
      given.signal.throwIfAborted();
      const database = shownAddress(configuration.databaseUrl);
      return answer(
        given,
        { database, vectors, tenants, model: space.model },
        () =>
          `Indexed ${database}: ${vectors} vectors of ${space.model} of ${tenants} ` +
          `${tenants === 1 ? 'tenant' : 'tenants'}, both counts are the same.`,
      );
    } finally {
      bar.clear();
    }
  },
};
