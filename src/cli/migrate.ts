/** `lamina migrate`: brings the schema of a PostgreSQL database up to date, as its owner. */

import { shownAddress } from '../compose/database-address.ts';
import { loadConfiguration } from '../compose/configuration.ts';
import { flagOf, SETTINGS } from '../compose/settings.ts';
import { readFlagValues, type Command } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';

const FLAGS = ['config', 'databaseUrl'] as const;

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring the schema of a PostgreSQL database up to date.',
  help: () =>
    [
      migrate.summary,
      '',
      'Usage: lamina migrate [flags]',
      '',
      'Connects by LAMINA_DATABASE_OWNER_URL where it is set, else by LAMINA_DATABASE_URL. Any number of processes may do it',
      'at once; each migration is applied once. SQLite needs none of this: its files are brought up to date as they are opened.',
      '',
      ...FLAGS.map((key) => `  --${flagOf(key)} (${SETTINGS[key].variable})\n      ${SETTINGS[key].description}`),
      '',
    ].join('\n'),
  async run(args) {
    const values = readFlagValues(migrate.name, args, FLAGS.map(flagOf));
    const flags = Object.fromEntries(
      FLAGS.flatMap((key) => (values.has(flagOf(key)) ? [[key, values.get(flagOf(key))]] : [])),
    );
    const configuration = await loadConfiguration(process.env, flags);
    // Drivers are loaded only now, so that help and refusals come at once.
    const { migrateDatabase } = await import('../compose/engines.ts');
    const report = await migrateDatabase(configuration);
    const address = configuration.databaseOwnerUrl ?? configuration.databaseUrl;
    process.stdout.write(`${describe(shownAddress(address), report)}\n`);
    return EXIT_CODES.ok.code;
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
