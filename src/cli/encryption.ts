/** `lamina encryption`: creates a master key, seals what is stored, rotates keys, shows the status. */

import type { DatabaseEncryption, SealingStatus } from '../compose/encryption.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, usageError, type Command, type Flag, type Given } from './command.ts';
import { tenantFrom, TENANT_FLAG } from './memory-flags.ts';
import { storedConfiguration } from './open-memory.ts';
import { memorySettingFlags, settingsFrom, variablesAmong } from './setting-flags.ts';
import { progressLines } from './terminal/progress-lines.ts';

const SETTINGS_TAKEN = ['config', 'databaseUrl', 'databaseOwnerUrl', 'redisUrl', 'masterKeyFile'] as const;

const WHERE: readonly Flag[] = [
  { ...TENANT_FLAG, description: 'Only this tenant', fallback: 'all' },
  ...memorySettingFlags(SETTINGS_TAKEN),
  JSON_FLAG,
];

const VARIABLES = variablesAmong(SETTINGS_TAKEN);

/** Less is not safe: see `GRACE_MS`. */
const MIN_GRACE_SECONDS = 60;
const MAX_GRACE_SECONDS = 86_400;

const createKey: Command = {
  name: 'create-key',
  summary: 'Make a file with a new master key.',
  parameters: [{ name: 'FILE', description: 'Where it is written; only its owner can read it' }],
  flags: [
    { name: 'add', description: 'Put a new key before those that the file holds, for lamina encryption rotate-master' },
    JSON_FLAG,
  ],
  examples: [
    { line: 'lamina encryption create-key master.key', does: 'Then set LAMINA_MASTER_KEY_FILE to its absolute path.' },
    { line: 'lamina encryption create-key master.key --add', does: 'A second one, to change to.' },
  ],
  notes:
    'Keep a copy of it away from the database and its backups. Without it nothing that was sealed can ever be read.',
  async run(given) {
    const [file = ''] = given.words;
    const { createKeyFile } = await import('../compose/encryption.ts');
    const masterId = createKeyFile(file, { isAdded: given.has('add') });
    return answer(given, { file, masterId }, () => `${file} holds the new master key ${masterId}. Keep a copy of it.`);
  },
};

const status: Command = {
  name: 'status',
  summary: 'Show how much is sealed, and with which keys.',
  flags: WHERE,
  variables: VARIABLES,
  examples: [{ line: 'lamina encryption status', does: 'Of every tenant.' }],
  run: (given) =>
    withEncryption(given, async (encryption) => {
      const all = Object.values(await byTenant(given, encryption, (tenantId) => encryption.status(tenantId)));
      return answer(given, all, () => all.map(statusText).join('\n\n') || 'There is no tenant yet.');
    }),
};

const seal: Command = {
  name: 'seal',
  summary: 'Seal what was stored before there was a master key.',
  flags: WHERE,
  variables: VARIABLES,
  examples: [{ line: 'lamina encryption seal', does: 'All tenants, while they are in use.' }],
  notes: [
    'Every process that uses the database must have the master key before. It can be stopped at any time, and goes on where',
    'something is left. PostgreSQL keeps what was written over until the tables are vacuumed.',
  ].join('\n'),
  run: (given) =>
    withEncryption(given, async (encryption) => {
      const sealed = await byTenant(given, encryption, (tenantId) => encryption.seal(tenantId));
      return answer(given, { sealed }, () => counted(sealed, 'value was sealed', 'values were sealed'));
    }),
};

const rotate: Command = {
  name: 'rotate',
  summary: 'Give tenants new data keys, seal everything anew, and destroy the old ones.',
  flags: [
    {
      name: 'grace',
      value: 'SECONDS',
      description:
        'How long an old key is kept at least, for processes that have not heard of the new one: 60 to 86400',
      fallback: String(MIN_GRACE_SECONDS),
    },
    ...WHERE,
  ],
  variables: VARIABLES,
  examples: [{ line: 'lamina encryption rotate', does: 'All tenants, while they are in use.' }],
  notes: [
    'Nothing stops meanwhile: what is sealed with the old key can be read until there is nothing left of it. It can be',
    'stopped at any time; begun again it goes on with the key that is new. It takes a minute for each tenant at least, in which',
    'processes that write end what they have begun with the old key.',
  ].join('\n'),
  run: (given) => {
    const graceMs = graceFrom(given) * 1000;
    return withEncryption(
      given,
      async (encryption) => {
        const rotations = Object.entries(await byTenant(given, encryption, (tenantId) => encryption.rotate(tenantId)));
        const rotated = Object.fromEntries(rotations.map(([tenantId, { resealed }]) => [tenantId, resealed]));
        const unreadable = Object.fromEntries(
          rotations.flatMap(([tenantId, { unreadable: names }]) => (names.length > 0 ? [[tenantId, names]] : [])),
        );
        return answer(given, { rotated, unreadable }, () =>
          [
            counted(
              rotated,
              'value was sealed anew, the old keys are destroyed',
              'values were sealed anew, the old keys are destroyed',
            ),
            ...Object.entries(unreadable).map(([tenantId, names]) => unreadableText(tenantId, names)),
          ].join('\n'),
        );
      },
      graceMs,
    );
  },
};

const rotateMaster: Command = {
  name: 'rotate-master',
  summary: 'Wrap the data keys by the master key that stands first in its file.',
  flags: WHERE,
  variables: VARIABLES,
  examples: [{ line: 'lamina encryption rotate-master', does: 'Afterwards the old line of the file can go.' }],
  run: (given) =>
    withEncryption(given, async (encryption) => {
      const rewrapped = await byTenant(given, encryption, (tenantId) => encryption.rotateMaster(tenantId));
      return answer(given, { rewrapped }, () => counted(rewrapped, 'key was wrapped anew', 'keys were wrapped anew'));
    }),
};

async function withEncryption(
  given: Given,
  work: (encryption: DatabaseEncryption) => Promise<number>,
  graceMs?: number,
): Promise<number> {
  const configuration = await storedConfiguration(given, settingsFrom(given, SETTINGS_TAKEN));
  const { databaseEncryption } = await import('../compose/encryption.ts');
  const lines = progressLines(given);
  const told = (_tenantId: string, collection: string, seen: number): void => lines.add(collection, seen);
  const encryption = await databaseEncryption(configuration, { signal: given.signal, told, graceMs });
  try {
    return await work(encryption);
  } finally {
    lines.clear();
    await encryption.close();
  }
}

/** What the work gives for the tenant that is named, or for each, one after another. */
async function byTenant<T>(
  given: Given,
  encryption: DatabaseEncryption,
  work: (tenantId: string) => Promise<T>,
): Promise<Record<string, T>> {
  const named = tenantFrom(given);
  const done: Record<string, T> = {};
  for (const tenantId of named === undefined ? await encryption.tenants() : [named]) {
    given.signal.throwIfAborted();
    done[tenantId] = await work(tenantId);
  }
  return done;
}

function graceFrom(given: Given): number {
  const text = given.value('grace');
  const seconds = text === undefined ? MIN_GRACE_SECONDS : Number(text);
  if (text?.trim() !== '' && seconds >= MIN_GRACE_SECONDS && seconds <= MAX_GRACE_SECONDS) return seconds;
  throw usageError(
    `--grace accepts a number of seconds from ${MIN_GRACE_SECONDS} to ${MAX_GRACE_SECONDS}: with less, what a process writes that has not heard of the new key would be lost.`,
    given.command,
  );
}

function unreadableText(tenantId: string, names: readonly string[]): string {
  return `Of tenant ${tenantId} these were altered beside Lamina, cannot be opened and stay as they are: ${names.join(', ')}. Restore a backup, or delete them.`;
}

function counted(counts: Readonly<Record<string, number>>, one: string, many: string): string {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  const tenants = Object.keys(counts).length;
  return `${sum} ${sum === 1 ? one : many}, in ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'}.`;
}

function statusText({ tenantId, keys, isComplete, collections }: SealingStatus): string {
  const left = Object.values(collections).reduce((sum, count) => sum + count.plain, 0);
  const whole = left === 0 ? 'sealed' : `sealed, but for ${left}`;
  const state = keys.length === 0 ? 'has no keys' : isComplete ? whole : 'not all is sealed yet';
  const told = keys.map(({ id, purpose, masterId, retiredAt }) => {
    const since = retiredAt === null ? '' : `, retired ${new Date(retiredAt).toISOString()}`;
    return `  ${purpose} key ${id}, wrapped by ${masterId}${since}`;
  });
  const counts = Object.entries(collections).map(([name, { plain, sealed }]) => {
    const parts = [
      ...(plain > 0 ? [`${plain} unsealed`] : []),
      ...Object.entries(sealed).map(([id, n]) => `${n} by ${id}`),
    ];
    return `  ${name}: ${parts.join(', ')}`;
  });
  return [`${tenantId}: ${state}`, ...told, ...counts].join('\n');
}

export const encryption: Command = {
  name: 'encryption',
  summary: 'Seal what is stored: master key, data keys, and how it stands.',
  flags: [],
  examples: [
    { line: 'lamina encryption create-key master.key', does: 'Makes a master key.' },
    { line: 'lamina encryption status', does: 'How much is sealed, and with which keys.' },
  ],
  commands: [createKey, status, seal, rotate, rotateMaster],
};
