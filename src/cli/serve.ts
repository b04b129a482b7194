/** `lamina serve`: opens the memory, serves it over HTTP, and stops cleanly when told to. */

import { resolve } from 'node:path';
import { databaseAddress, shownAddress } from '../compose/database-address.ts';
import { loadConfiguration, type Configuration } from '../compose/configuration.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { logLines } from './terminal/log-lines.ts';
import { FLAG_SETTINGS, settingFlags, settingsFrom, variablesAmong } from './setting-flags.ts';
import { untilStopped } from './terminal/stop-signal.ts';
import { packageVersion } from '../compose/package-version.ts';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve memory over HTTP.',
  flags: settingFlags(FLAG_SETTINGS),
  variables: variablesAmong(),
  examples: [
    { line: 'lamina serve', does: 'Serves this machine, with the data in a folder below the current one.' },
    {
      line: 'lamina serve --port 8080 --database sqlite:/var/lib/lamina',
      does: 'On another port, with the data elsewhere.',
    },
  ],
  notes: 'Flags win over variables, and variables over the file.',
  async run(given) {
    const configuration = await loadConfiguration(given.terminal.environment, settingsFrom(given, FLAG_SETTINGS));
    return serveWith(configuration, given.signal);
  },
};

/** Serves until a signal comes. What it needs is loaded only now, so that help and refusals come at once. */
async function serveWith(configuration: Configuration, signal: AbortSignal): Promise<number> {
  const stopped = untilStopped(signal);
  const { startService } = await import('../compose/service.ts');
  // A person at a terminal reads the greeting, and logs keep out of its way; anyone else reads the logs.
  const isTerminal = process.stdout.isTTY;
  const service = await startService(configuration, {
    version: await packageVersion(),
    logger: { level: configuration.logLevel, stream: logLines(isTerminal ? process.stderr : process.stdout) },
  });
  if (isTerminal) process.stdout.write(greeting(service.url, configuration));
  const reload = (): void => service.reload();
  // Without a certificate the signal means what it always does: the terminal is gone.
  if (configuration.tls !== undefined) process.on('SIGHUP', reload);
  await stopped;
  process.off('SIGHUP', reload);
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
