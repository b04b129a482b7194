/** `lamina copy`: copies everything from one database to another, of any engines, and verifies the counts. */

import { resolve } from 'node:path';
import { DATABASE_ADDRESSES, databaseAddress, shownAddress } from '../compose/database-address.ts';
import { SETTINGS } from '../compose/settings.ts';
import type { CopyReport } from '../core/archive/copy.ts';
import { COLLECTIONS } from '../domain/archive.ts';
import { LaminaError } from '../domain/error.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, usageError, type Command, type Given } from './command.ts';
import { tenantFrom } from './memory-flags.ts';
import { isThere } from './open-memory.ts';
import { settingFlag } from './setting-flags.ts';
import { progressBar } from './terminal/progress-bar.ts';

interface CopyFlags {
  readonly from: string;
  readonly to: string;
  readonly tenantId: string | undefined;
  readonly masterKeyFile: string | undefined;
  readonly isUnsealed: boolean;
}

const MASTER_KEY = settingFlag('masterKeyFile');

/** Counting takes longer than anything that a service asks for. */
const DATABASE_TIMEOUT_MS = 15 * 60_000;

export const copy: Command = {
  name: 'copy',
  summary: 'Copy all memory from one database to another.',
  flags: [
    {
      name: 'from',
      value: 'ADDRESS',
      required: true,
      description: 'Where it is. Not to be written to meanwhile: stop the service first',
    },
    {
      name: 'to',
      value: 'ADDRESS',
      required: true,
      description: 'Where it goes. The schema is brought up to date first',
    },
    { name: 'tenant', value: 'UUID', description: 'Copy this tenant only', fallback: 'all' },
    {
      ...MASTER_KEY,
      description: 'The master key of both, where what they hold is sealed; the target gets keys of its own',
    },
    { name: 'unsealed', description: 'Store it as it is in the target, though it is sealed in the source' },
    JSON_FLAG,
  ],
  examples: [
    { line: 'lamina copy --from sqlite:data --to sqlite:backup', does: 'A second folder with the same memory.' },
    {
      line: 'lamina copy --from sqlite:data --to postgres://lamina@db/lamina',
      does: 'From a folder to a PostgreSQL server.',
    },
  ],
  notes: [
    `Addresses: ${DATABASE_ADDRESSES}.`,
    [
      'Everything is copied as it is: ids, versions, history, vectors, accesses, API keys, receipts of erasures. Only the',
      'events are not: they tell what happened on the old database. In the end both sides are counted, and where the counts',
      'differ the copy has failed. A copy that was interrupted goes on where it stopped when it is started again; one that is',
      'complete changes nothing. The target may have other tenants, but not other memory of the same ones.',
    ].join('\n'),
  ].join('\n\n'),
  async run(given) {
    const flags = flagsFrom(given);
    const report = await copyWith(flags, given);
    return answer(given, report, () => summaryOf(flags, report));
  },
};

function flagsFrom(given: Given): CopyFlags {
  const [from, to] = ['from', 'to'].map((flag) => {
    const address = given.value(flag) ?? '';
    if (databaseAddress(address) !== undefined) return address;
    throw usageError(`--${flag} accepts ${DATABASE_ADDRESSES}.`, given.command);
  }) as [string, string];
  if (placeOf(from) === placeOf(to)) throw usageError('--from and --to are the same.', given.command);
  const masterKeyFile =
    given.value(MASTER_KEY.name) ?? (given.terminal.environment[SETTINGS.masterKeyFile.variable] || undefined);
  return { from, to, tenantId: tenantFrom(given), masterKeyFile, isUnsealed: given.has('unsealed') };
}

/** Equal for addresses of the same place, as far as can be told. */
function placeOf(text: string): string {
  const address = databaseAddress(text);
  return address && 'folder' in address ? resolve(address.folder) : text;
}

/** What it needs is loaded only now, so that help and refusals come at once. */
async function copyWith(flags: CopyFlags, given: Given): Promise<CopyReport> {
  const { from, to, tenantId, masterKeyFile, isUnsealed } = flags;
  assertThere(from);
  const { openEngine } = await import('../compose/engines.ts');
  const { systemClock } = await import('../compose/system.ts');
  const { copyArchive } = await import('../core/archive/copy.ts');
  const open = (databaseUrl: string, keyFile: string | undefined) =>
    openEngine({ databaseUrl, masterKeyFile: keyFile, databaseTimeoutMs: DATABASE_TIMEOUT_MS });
  const source = await open(from, masterKeyFile);
  try {
    const target = await open(to, isUnsealed ? undefined : masterKeyFile);
    const bar = progressBar(given);
    try {
      return await copyArchive({
        from: source.archive,
        to: target.archive,
        clock: systemClock,
        tenantId,
        progress: ({ done, total, tenantsDone, tenants, collection }) => {
          given.signal.throwIfAborted();
          bar.show({ done, total, label: `${collection} of tenant ${tenantsDone + 1} of ${tenants}` });
        },
      });
    } finally {
      bar.clear();
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** An engine would make the folder. */
function assertThere(from: string): void {
  const address = databaseAddress(from);
  if (address === undefined || !('folder' in address) || isThere(address.folder)) return;
  throw new LaminaError('NOT_FOUND', `There is nothing to copy: the folder "${address.folder}" does not exist.`);
}

function summaryOf({ from, to }: CopyFlags, { tenants, counts, copied, erasures }: CopyReport): string {
  const rows = COLLECTIONS.map((name) => [name, String(counts[name]), String(copied[name])] as const);
  const table = [['', 'in both', 'copied now'] as const, ...rows];
  return [
    `Copied ${shownAddress(from)} to ${shownAddress(to)}: ${tenants} ${tenants === 1 ? 'tenant' : 'tenants'}, all counts are the same.`,
    '',
    ...table.map(([name, there, now]) => `  ${name.padEnd(16)}${there.padStart(10)}${now.padStart(14)}`),
    '',
    `Entries came with ${counts.embeddings} vectors. Receipts of erased tenants: ${erasures}.`,
  ].join('\n');
}
