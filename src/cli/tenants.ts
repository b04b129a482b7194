/** `lamina tenants`: who is on a database, how much each has, and the end of one. */

import type { DatabaseTenants } from '../compose/database-tenants.ts';
import { COLLECTIONS, type Tallies } from '../domain/archive.ts';
import { LaminaError } from '../domain/error.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command, type Given, type Parameter } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { adminFrom, tenantWord, whichMemory } from './memory-flags.ts';
import { memoryName, readMemory, storedConfiguration } from './open-memory.ts';
import { printItems } from './terminal/print-pages.ts';
import { progressBar } from './terminal/progress-bar.ts';
import { isConfirmed, YES_FLAG } from './terminal/read-input.ts';
import { statsText, wordsOf } from './stats-text.ts';
import type { Column } from './terminal/text-table.ts';
import { viewOf } from './terminal/view.ts';
import { whileWaiting } from './terminal/waiting.ts';
import { betweenPages } from './terminal/stop-signal.ts';

const WHERE = whichMemory();

const TENANT: Parameter = { name: 'TENANT', description: 'The UUID of the tenant' };

interface TenantRow {
  readonly tenantId: string;
  readonly counts: Readonly<Record<string, number | undefined>>;
}

const list: Command = {
  name: 'list',
  summary: 'List the tenants of a database.',
  flags: [{ ...JSON_FLAG, description: 'A tenant in JSON on each line, for machines' }, ...WHERE],
  examples: [{ line: 'lamina tenants list --database sqlite:data', does: 'All of them, with what they have.' }],
  notes: 'A service tells nobody of other tenants: with --url there is only your own.',
  async run(given) {
    const rows = given.has('url') ? [await ownTenant(given)] : await tenantRows(given);
    const columns = (): Column<TenantRow>[] => [
      { title: 'TENANT', text: ({ tenantId }) => tenantId },
      ...(['entries', 'versions', 'facts', 'state', 'users'] as const).map((name) => ({
        title: name.toUpperCase(),
        text: ({ counts }: TenantRow) => String(counts[name] ?? 0),
        align: 'right' as const,
      })),
    ];
    printItems(given, rows, columns, await memoryName(given));
    return EXIT_CODES.ok.code;
  },
};

async function ownTenant(given: Given): Promise<TenantRow> {
  return readMemory(given, adminFrom(given), async (memory) => {
    const { tenantId } = await memory.principal.get({});
    return { tenantId, counts: (await memory.stats({ of: 'tenant', days: 1 })).sizes };
  });
}

async function tenantRows(given: Given): Promise<TenantRow[]> {
  return withTenants(given, async (tenants) => {
    const ids: string[] = [];
    for await (const page of tenants.pages()) ids.push(...page);
    const bar = progressBar(given);
    const rows: TenantRow[] = [];
    try {
      for (const tenantId of ids) {
        await betweenPages(given.signal);
        rows.push({ tenantId, counts: countsOf(await tenants.tallies(tenantId)) });
        if (ids.length > 1) bar.show({ done: rows.length, total: ids.length, label: 'tenants' });
      }
    } finally {
      bar.clear();
    }
    return rows;
  });
}

function countsOf(tallies: Tallies): Record<string, number> {
  return Object.fromEntries(COLLECTIONS.map((name) => [name, tallies[name].count]));
}

async function withTenants<T>(given: Given, work: (tenants: DatabaseTenants) => Promise<T>): Promise<T> {
  const { databaseTenants } = await import('../compose/database-tenants.ts');
  const tenants = await databaseTenants(await storedConfiguration(given));
  try {
    return await work(tenants);
  } finally {
    await tenants.close();
  }
}

const show: Command = {
  name: 'show',
  summary: 'Show how much a tenant has, and how it grows.',
  parameters: [{ ...TENANT, optional: true }],
  flags: [JSON_FLAG, ...WHERE],
  examples: [
    { line: 'lamina tenants show 00000000-0000-0000-0000-000000000000', does: 'The tenant of those that name none.' },
  ],
  async run(given) {
    const tenantId = tenantWord(given);
    await assertThere(given, tenantId);
    const isNamed = given.words.length > 0 || !given.has('url');
    const principal = { ...adminFrom(given), ...(isNamed && { tenantId }) };
    const counted = await whileWaiting(
      given,
      'Counting',
      readMemory(given, principal, (memory) => memory.stats({ of: 'tenant' })),
    );
    return answer(given, { tenantId, ...counted }, () => `${tenantId}\n${statsText(counted, viewOf(given))}`);
  },
};

const erase: Command = {
  name: 'erase',
  summary: 'Erase a tenant with all that is in it, for good.',
  parameters: [TENANT],
  flags: [YES_FLAG, JSON_FLAG, ...WHERE],
  examples: [
    {
      line: 'lamina tenants erase 6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11 --yes',
      does: 'Answers with a receipt, by which it can be shown later that nothing is left.',
    },
  ],
  notes: 'You are asked to type the id again, unless --yes is given. With --url it can only be your own tenant.',
  async run(given) {
    const tenantId = tenantWord(given);
    await assertThere(given, tenantId);
    if (!(await isConfirmed(given, `Erase all memory of tenant ${tenantId} for good?`, tenantId))) {
      throw new LaminaError('VALIDATION_FAILED', 'That was not the id: nothing was erased.');
    }
    const principal = { ...adminFrom(given), tenantId };
    const receipt = await whileWaiting(
      given,
      'Erasing',
      readMemory(given, principal, (memory) => memory.admin.eraseTenant({ tenantId })),
    );
    const erased = Object.entries(receipt.counts).filter(([, count]) => count > 0);
    const what = erased.map(([name, count]) => `${wordsOf(name)} ${count}`).join(', ') || 'nothing was there';
    return answer(given, receipt, () => `Erased ${tenantId}: ${what}.\nReceipt ${receipt.erasureId}, ${receipt.hash}`);
  },
};

/** Looking at a tenant that is not there would make it. */
async function assertThere(given: Given, tenantId: string): Promise<void> {
  if (given.has('url')) return;
  const isThere = await withTenants(given, async (tenants) => {
    for await (const page of tenants.pages()) if (page.includes(tenantId)) return true;
    return false;
  });
  if (isThere) return;
  throw new LaminaError('NOT_FOUND', `There is no tenant ${tenantId} on ${await memoryName(given)}.`, {
    advice: 'See which there are: lamina tenants list',
  });
}

export const tenants: Command = {
  name: 'tenants',
  summary: 'List the tenants of a database, look at one, erase one.',
  flags: [],
  examples: [{ line: 'lamina tenants list --database sqlite:data', does: 'All of them, with what they have.' }],
  commands: [list, show, erase],
};
