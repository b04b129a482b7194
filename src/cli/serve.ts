/** `lamina serve`: opens the memory, serves it over HTTP, and stops cleanly when told to. */

import { resolve } from 'node:path';
import { databaseAddress, shownAddress } from '../compose/database-address.ts';
import { loadConfiguration, type Configuration } from '../compose/configuration.ts';
import { defaultOf, flagOf, SETTING_KEYS, SETTINGS, type Setting, type SettingKey } from '../compose/settings.ts';
import { readFlagValues, type Command } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { logLines } from './log-lines.ts';
import { untilStopped } from './stop-signal.ts';
import { packageVersion } from '../compose/package-version.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve memory over HTTP.',
  help,
  async run(args) {
    const configuration = await loadConfiguration(process.env, flagsFrom(args));
    return serveWith(configuration);
  },
};

const FLAG_KEYS = SETTING_KEYS.filter((key) => (SETTINGS[key] as Setting).sources.includes('flag'));

function flagsFrom(args: readonly string[]): Partial<Record<SettingKey, string>> {
  const values = readFlagValues(serve.name, args, FLAG_KEYS.map(flagOf));
  return Object.fromEntries(
    FLAG_KEYS.flatMap((key) => (values.has(flagOf(key)) ? [[key, values.get(flagOf(key))]] : [])),
  );
}

function help(): string {
  const rows = SETTING_KEYS.map((key) => {
    const row: Setting = SETTINGS[key];
    const fallback = defaultOf(key);
    return [
      row.sources.includes('flag') ? `  --${flagOf(key)} (${row.variable})` : `  ${row.variable}`,
      `      ${row.description}`,
      `      Accepts ${row.accepts}.${fallback === undefined ? '' : ` Default: ${fallback}`}`,
    ].join('\n');
  });
  return [
    serve.summary,
    '',
    'Usage: lamina serve [flags]',
    '',
    'Flags, and the environment variables that do the same. Flags win over variables, variables over the file.',
    ...rows,
    '',
  ].join('\n');
}

/** Serves until a signal comes. What it needs is loaded only now, so that help and refusals come at once. */
async function serveWith(configuration: Configuration): Promise<number> {
  const stopped = untilStopped();
  const { startService } = await import('../compose/service.ts');
  // A person at a terminal reads the greeting, and logs keep out of its way; anyone else reads the logs.
  const isTerminal = process.stdout.isTTY;
  const service = await startService(configuration, {
    version: await packageVersion(),
    logger: { level: configuration.logLevel, stream: logLines(isTerminal ? process.stderr : process.stdout) },
  });
  if (isTerminal) process.stdout.write(greeting(service.url, configuration));
  await stopped;
  await service.close();
  return EXIT_CODES.ok.code;
}

function greeting(url: string, { databaseUrl, auth }: Configuration): string {
  const body = '{"content": "I prefer tea to coffee", "layer": "user"}';
  const credential = auth === 'none' ? '' : ` -H 'authorization: Bearer TOKEN'`;
  return [
    `Lamina is listening on ${url}, its data is in ${placeOf(databaseUrl)}, docs: ${url}/docs`,
    `Try: curl ${url}/v1/memory/entries -H 'content-type: application/json'${credential} -d '${body}'`,
    '',
  ].join('\n');
}

function placeOf(databaseUrl: string): string {
  const address = databaseAddress(databaseUrl);
  return address === undefined || address.engine === 'postgres' ? shownAddress(databaseUrl) : resolve(address.folder);
}
