/** `lamina migrate`: brings the schema of a PostgreSQL database up to date, as its owner. */

import { shownAddress } from '../compose/database-address.ts';
import { loadConfiguration } from '../compose/configuration.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command } from './command.ts';
import { settingFlags, settingsFrom, variablesAmong } from './setting-flags.ts';

const SETTINGS_TAKEN = ['config', 'databaseUrl'] as const;

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring the schema of a PostgreSQL database up to date.',
  flags: [...settingFlags(SETTINGS_TAKEN), JSON_FLAG],
  variables: variablesAmong(['databaseOwnerUrl']),
  examples: [
    {
      line: 'lamina migrate --database postgres://lamina_owner@db/lamina',
      does: 'As the owner of the schema, before the service is started in its new version.',
    },
  ],
  notes: [
    'Connects by LAMINA_DATABASE_OWNER_URL where it is set, else by LAMINA_DATABASE_URL. Any number of processes may do it',
    'at once; each migration is applied once. SQLite needs none of this: its files are brought up to date as they are opened.',
  ].join('\n'),
  async run(given) {
    const configuration = await loadConfiguration(given.terminal.environment, settingsFrom(given, SETTINGS_TAKEN));
    // Drivers are loaded only now, so that help and refusals come at once.
    const { migrateDatabase } = await import('../compose/engines.ts');
    const report = await migrateDatabase(configuration);
    const address = configuration.databaseOwnerUrl ?? configuration.databaseUrl;
    const shown = shownAddress(address);
    return answer(given, { database: shown, ...(report ?? { applied: [] }) }, () => describe(shown, report));
  },
};

function describe(
  address: string,
  report: { readonly applied: readonly string[]; readonly version: number } | undefined,
): string {
  if (report === undefined) return `${address} needs no migration: each file is brought up to date when it is opened.`;
  if (report.applied.length === 0) return `${address} is up to date (schema ${report.version}).`;
  return `${address} is now at schema ${report.version}: applied ${report.applied.join(', ')}.`;
}
