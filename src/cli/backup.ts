/** `lamina backup` and `lamina restore`: a folder of SQLite files, copied while it is in use, verified, and brought back. */

import { resolve } from 'node:path';
import type { BackupOptions } from '../compose/backup.ts';
import { databaseAddress } from '../compose/database-address.ts';
import type { BackupManifest } from '../domain/backup.ts';
import { LaminaError } from '../domain/error.ts';
import { answer } from './terminal/answer.ts';
import { counted } from './terminal/counted.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { databaseFlags } from './database-flags.ts';
import { DATABASE_FALLBACK } from './home-database.ts';
import { storedConfiguration } from './open-memory.ts';
import { settingFlag, settingsFrom } from './setting-flags.ts';
import { progressBar } from './terminal/progress-bar.ts';

const FOLDER = { name: 'FOLDER', description: 'The backup' };
const DATABASE_FLAGS = databaseFlags({
  value: 'ADDRESS',
  description: 'Which database: sqlite:FOLDER',
  fallback: DATABASE_FALLBACK,
});

const verify: Command = {
  name: 'verify',
  summary: 'Verify that a backup is whole and sound.',
  parameters: [FOLDER],
  flags: [JSON_FLAG],
  examples: [{ line: 'lamina backup verify backups/monday', does: 'Checksums, integrity and counts of every file.' }],
  async run(given) {
    const [folder = ''] = given.words;
    const { verifyBackup } = await import('../compose/backup.ts');
    const manifest = await withBar(given, (options) => verifyBackup(folder, options));
    return answer(given, manifest, () => `The backup is sound: ${contentsText(manifest)}.`);
  },
};

export const backup: Command = {
  name: 'backup',
  summary: 'Back up a folder of SQLite files while it is in use.',
  parameters: [{ ...FOLDER, description: 'Where to put it: a folder that does not exist yet' }],
  flags: [JSON_FLAG, settingFlag('config'), ...DATABASE_FLAGS],
  examples: [
    { line: 'lamina backup backups/monday', does: 'Everything of your own memory, with checksums.' },
    { line: 'lamina backup backups/tuesday --database sqlite:data', does: 'While a service writes to it.' },
  ],
  notes: [
    'Nothing has to stop. All of a tenant is of one moment; two tenants may be some seconds apart. The folder appears when it is',
    'complete, readable by you only, and is never written over. What lies in Redis is not in it. PostgreSQL has means of its own:',
    'docs/backup.md.',
  ].join('\n'),
  commands: [verify],
  async run(given) {
    const [folder = ''] = given.words;
    const source = await sourceFrom(given);
    const { backUp } = await import('../compose/backup.ts');
    const manifest = await withBar(given, (options) => backUp(source, folder, options));
    return answer(
      given,
      manifest,
      () => `Backed up ${contentsText(manifest)} to ${resolve(folder)}.\nNext: lamina backup verify ${folder}`,
    );
  },
};

export const restoreBackup: Command = {
  name: 'restore',
  summary: 'Bring back a backup into a new folder.',
  parameters: [FOLDER],
  flags: [
    {
      name: 'to',
      value: 'ADDRESS',
      required: true,
      description: 'Where to put it: sqlite:FOLDER, or the folder; one that does not exist yet',
    },
    JSON_FLAG,
  ],
  examples: [{ line: 'lamina restore backups/monday --to sqlite:restored', does: 'Verified before and afterwards.' }],
  notes: 'The backup is verified first, and stays as it is. Nothing is written over: put the old folder aside before.',
  async run(given) {
    const [folder = ''] = given.words;
    const target = targetFrom(given);
    const { restore } = await import('../compose/backup.ts');
    const manifest = await withBar(given, (options) => restore(folder, target, options));
    return answer(
      given,
      manifest,
      () => `Restored ${contentsText(manifest)} to ${resolve(target)}, as of ${manifest.startedAt}.`,
    );
  },
};

async function sourceFrom(given: Given): Promise<string> {
  const { databaseUrl } = await storedConfiguration(given, settingsFrom(given, ['config']));
  const address = databaseAddress(databaseUrl);
  if (address?.engine === 'sqlite') return address.folder;
  throw new LaminaError(
    'VALIDATION_FAILED',
    'lamina backup is for folders of SQLite files. PostgreSQL has means of its own: docs/backup.md. For one tenant, on every ' +
      'engine: lamina export FILE',
  );
}

function targetFrom(given: Given): string {
  const text = given.value('to') ?? '';
  const address = databaseAddress(text);
  if (address?.engine === 'sqlite') return address.folder;
  if (address === undefined && !/^[a-z]+:/.test(text) && text !== '') return text;
  throw new LaminaError(
    'VALIDATION_FAILED',
    'A backup is restored into a folder: --to sqlite:FOLDER. From there it goes to another engine: lamina copy',
  );
}

async function withBar<T>(given: Given, work: (options: BackupOptions) => Promise<T>): Promise<T> {
  const bar = progressBar(given);
  try {
    return await work({
      signal: given.signal,
      progress: (done, total, label) => bar.show({ done, total, label }),
      note: (text) => {
        bar.clear();
        given.terminal.stderr.write(`Note: ${text}\n`);
      },
    });
  } finally {
    bar.clear();
  }
}

function contentsText({ files }: BackupManifest): string {
  const tenants = files.filter(({ name }) => name.startsWith('tenants/'));
  const entries = tenants.reduce((sum, { rows }) => sum + (rows['entries'] ?? 0), 0);
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000;
  return [counted(tenants.length, 'tenant'), counted(entries, 'memory', 'memories'), `${megabytes.toFixed(1)} MB`].join(
    ', ',
  );
}
