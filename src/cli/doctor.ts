/** `lamina doctor`: checks everything that Lamina needs, and says how to fix what is wrong. */

import { stateOf, type CheckedReport } from '../compose/doctor/run-checks.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, usageError, type Command, type Given } from './command.ts';
import { databaseGiven } from './database-flags.ts';
import { doctorJson, doctorText } from './doctor-text.ts';
import { errorText } from './error-text.ts';
import { EXIT_CODES } from './exit-code.ts';
import { databaseDefaults } from './home-database.ts';
import { configurationFrom, tokenFrom } from './open-memory.ts';
import { whichMemory } from './memory-flags.ts';
import { repairAll, type Repaired } from './repair-findings.ts';
import { YES_FLAG } from './terminal/read-input.ts';
import { settingFlag, settingsFrom } from './setting-flags.ts';
import { unlessStopped } from './terminal/stop-signal.ts';
import { viewOf } from './terminal/view.ts';
import { whileWaiting } from './terminal/waiting.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check machine, configuration, database, models and indexes, and say how to put right what is amiss.',
  flags: [
    { name: 'deep', description: 'Read everything: takes as long as there is data' },
    { name: 'fix', description: 'Put right what can be put right without harm; asks before each' },
    YES_FLAG,
    JSON_FLAG,
    settingFlag('config'),
    ...whichMemory(),
  ],
  examples: [
    { line: 'lamina doctor', does: 'Looks at everything that is configured.' },
    { line: 'lamina doctor --database sqlite:data --deep', does: 'Reads every page of every file.' },
    { line: 'lamina doctor --fix', does: 'Closes the folder to others, embeds what lacks a vector; asks first.' },
    { line: 'lamina doctor --url https://memory.example.com', does: 'Looks at a service from outside.' },
  ],
  notes: [
    'Changes nothing without --fix: nothing is migrated, and no folder is made. Run it where the service runs, with its',
    'configuration. The exit code is 1 where there is a problem, and 0 where there are only warnings.',
  ].join('\n'),
  async run(given) {
    const look = (): Promise<readonly CheckedReport[]> =>
      whileWaiting(given, 'Looking', unlessStopped(given.signal, lookAround(given)));
    const found = await look();
    const repaired = given.has('fix') ? await repairAll(given, found) : [];
    await noteRepairs(given, repaired);
    // Fixes are checked again, not taken for granted.
    const reports = repaired.some(({ isDone }) => isDone) ? await look() : found;
    answer(given, doctorJson(reports, repaired), () => doctorText(reports, repaired, viewOf(given)));
    return stateOf(reports) === 'problem' ? EXIT_CODES.failed.code : EXIT_CODES.ok.code;
  },
};

/** In the audit log. Where that cannot be written it is said, and what was put right stays so. */
async function noteRepairs(given: Given, repaired: readonly Repaired[]): Promise<void> {
  const done = repaired.filter(({ isDone }) => isDone).map(({ does }) => ({ does }));
  if (done.length === 0) return;
  const { noteInDatabase } = await import('../compose/operator-audit.ts');
  try {
    const configuration = await configurationFrom(given, settingsFrom(given, ['config']));
    await noteInDatabase(configuration, 'doctor.fix', done);
  } catch (error) {
    given.terminal.stderr.write(`Note: this is not in the audit log. ${errorText(error)}\n`);
  }
}

async function lookAround(given: Given): Promise<readonly CheckedReport[]> {
  const { signal } = given;
  const url = given.value('url');
  const database = databaseGiven(given);
  if (url !== undefined && given.has('fix'))
    throw usageError('--fix is for a database, not for a service.', given.command);
  if (url !== undefined && !/^https?:\/\//.test(url))
    throw usageError('--url accepts an address with http:// or https://', given.command);
  const { checkHere, checkThere } = await import('../compose/doctor/doctor.ts');
  if (url !== undefined) return checkThere({ url: url.replace(/\/+$/, ''), token: await tokenFrom(given) }, { signal });
  return checkHere({
    environment: given.terminal.environment,
    flags: { ...settingsFrom(given, ['config']), ...(database !== undefined && { databaseUrl: database }) },
    defaults: databaseDefaults(),
    isDeep: given.has('deep'),
    signal,
  });
}
