/** `lamina audit`: lists what administrators did, verifies the log, and writes it to a file. */

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { auditEntrySchema, type AuditEntry, type AuditVerification } from '../domain/audit.ts';
import type { LoggedEntry } from '../domain/audit-chain.ts';
import { LaminaError } from '../domain/error.ts';
import type { Memory } from '../operations/memory.ts';
import { writeFileWhole, writeOut } from './bundle/bundle-file.ts';
import { FORCE_FLAG, JSON_FLAG, usageError, type Command, type Flag, type Given } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { adminFrom, TENANT_FLAG, whichMemory } from './memory-flags.ts';
import { memoryName, readMemory, storedConfiguration } from './open-memory.ts';
import { answer } from './terminal/answer.ts';
import { LIST_FLAGS, printItems, printPages, type PageSource } from './terminal/print-pages.ts';
import { viewOf } from './terminal/view.ts';

const SYSTEM_FLAG: Flag = {
  name: 'system',
  description: 'The log that outlives tenants: what was done to all of them, and which were erased',
};
const WHERE = [SYSTEM_FLAG, ...whichMemory(), TENANT_FLAG];
const PAGE_SIZE = 100;

/** A line of a file. What a later version logs is an entry too. */
const LINE = z.looseObject({
  ...auditEntrySchema.shape,
  action: z.string(),
  receipt: z.unknown().optional(),
  log: z.string(),
});

const columns: PageSource<AuditEntry>['columns'] = (view) => [
  { title: 'NO.', text: ({ sequence }) => String(sequence ?? '–'), align: 'right' },
  { title: 'WHEN', text: ({ at }) => view.ago(at), format: 'cyan' },
  { title: 'ACTOR', text: ({ actor }) => actor },
  { title: 'ACT', text: ({ action }) => action, format: 'bold' },
  { title: 'ABOUT', text: aboutText, gives: true },
  { title: 'HASH', text: ({ hash }) => hash?.slice(0, 12) ?? '–', format: 'dim', optional: true },
];

function aboutText({ keyId, receipt, about }: AuditEntry): string {
  if (receipt !== undefined) return `receipt ${receipt.erasureId}`;
  const key = keyId === undefined ? [] : [`key ${keyId}`];
  const rest = Object.entries(about ?? {}).map(([name, value]) => `${name} ${shortened(String(value))}`);
  return [...key, ...rest].join(', ');
}

/** A pseudonym is as long as a line. */
function shortened(value: string): string {
  return value.replace(/^(sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1…');
}

const list: Command = {
  name: 'list',
  summary: 'List administrative acts, newest first.',
  flags: [...LIST_FLAGS, ...WHERE],
  examples: [
    { line: 'lamina audit list', does: 'Who did what, and when.' },
    { line: 'lamina audit list --system', does: 'Changes of the embedding model, repairs, tenants that were erased.' },
  ],
  async run(given) {
    if (given.has('system')) {
      const all = (await systemEntries(given)).map(({ entry }) => entry);
      printItems(given, all.toReversed(), columns, await memoryName(given));
      return EXIT_CODES.ok.code;
    }
    return printPages<AuditEntry>(given, {
      principal: adminFrom(given),
      read: async (memory, page) => {
        const { entries, nextCursor } = await memory.admin.audit(page);
        return { items: entries, nextCursor };
      },
      columns,
    });
  },
};

const verify: Command = {
  name: 'verify',
  summary: 'Verify that the audit log is as it was written.',
  flags: [
    { name: 'head', value: 'HASH', description: 'A head from before, which has to be in it still' },
    { name: 'file', value: 'FILE', description: 'Verify what lamina audit export wrote' },
    JSON_FLAG,
    ...WHERE,
  ],
  examples: [
    { line: 'lamina audit verify', does: 'Says whether it holds, and its head.' },
    { line: 'lamina audit verify --system', does: 'The log that outlives tenants.' },
    { line: 'lamina audit verify --file audit.jsonl', does: 'A copy of it, without a database.' },
  ],
  notes: [
    'Each entry carries the hash of the one before it: whatever is changed, taken out, put in or moved is found. That the end was',
    'cut off can only be found by a head that was kept elsewhere: note it now and then, and give it with --head. The exit code',
    'is 1 where the log does not hold.',
  ].join('\n'),
  async run(given) {
    const found = await verification(given);
    answer(given, found, () => verificationText(given, found));
    return found.ok ? EXIT_CODES.ok.code : EXIT_CODES.failed.code;
  },
};

async function verification(given: Given): Promise<AuditVerification> {
  const [file, head] = [given.value('file'), headFrom(given)];
  if (file !== undefined) {
    const { verifyChain } = await import('../core/admin/verify-chain.ts');
    const all = await entriesIn(file);
    return verifyChain(async (_limit, after) => (after.sequence === 0 && after.id === '' ? all : []), head);
  }
  if (given.has('system')) {
    const { verifySystemAudit } = await import('../compose/operator-audit.ts');
    return verifySystemAudit(await databaseFrom(given), head);
  }
  return readMemory(given, adminFrom(given), (memory) => memory.admin.verifyAudit(head === undefined ? {} : { head }));
}

function headFrom(given: Given): string | undefined {
  const head = given.value('head');
  if (head !== undefined && !/^[0-9a-f]{64}$/.test(head)) {
    throw usageError('--head accepts a hash of 64 hexadecimal digits.', given.command);
  }
  return head;
}

function verificationText(given: Given, { ok, entries, before, head, firstBroken }: AuditVerification): string {
  const view = viewOf(given);
  const older = before === 0 ? '' : ` and ${before} from before there was a chain`;
  const much = `${entries} linked ${entries === 1 ? 'entry' : 'entries'}${older}`;
  const shown = head ?? 'none yet: where nothing is linked, nothing is proven';
  if (ok) return `${view.paint('green', 'The audit log holds')}: ${much}.\nHead: ${shown}`;
  const { sequence = '', id } = firstBroken ?? {};
  const where = id === undefined ? '' : ` at entry ${sequence === '' ? id : `${sequence} (${id})`}`;
  return `${view.paint('red', 'The audit log is broken')}${where}: ${firstBroken?.problem ?? ''}`;
}

const exportLog: Command = {
  name: 'export',
  summary: 'Write the audit log to a file, a line of JSON for each entry.',
  parameters: [{ name: 'FILE', description: 'Where to write it; - for the standard output' }],
  flags: [FORCE_FLAG, ...WHERE],
  examples: [{ line: 'lamina audit export audit.jsonl', does: 'Oldest first, to be kept elsewhere.' }],
  notes: 'The hash of an entry can be computed again from its line: docs/audit.md. FILE is readable by you only.',
  async run(given) {
    const [file = ''] = given.words;
    const all = given.has('system') ? await systemEntries(given) : await ownEntries(given);
    const text = async function* (): AsyncGenerator<string> {
      for (const { log, entry } of all) yield `${JSON.stringify({ log, ...entry })}\n`;
    };
    const how = { gzip: false, signal: given.signal };
    if (file === '-') await writeOut(given.terminal.stdout, text(), how);
    else await writeFileWhole(file, text(), { ...how, overwrites: given.has('force') });
    const count = `${all.length} ${all.length === 1 ? 'entry' : 'entries'}`;
    if (file !== '-') given.terminal.stdout.write(`${count} in ${file}.\n`);
    return EXIT_CODES.ok.code;
  },
};

/** Oldest first. That the tenant itself was erased before stands in the log that outlives it. */
function ownEntries(given: Given): Promise<LoggedEntry[]> {
  return readMemory(given, adminFrom(given), async (memory) => {
    const { tenantId } = await memory.principal.get({});
    const entries = (await allEntries(memory)).filter(({ action }) => action !== 'tenants.erase');
    const inChain = entries.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0) || (a.id < b.id ? -1 : 1));
    return inChain.map((entry) => ({ log: tenantId, entry }));
  });
}

async function allEntries(memory: Memory): Promise<AuditEntry[]> {
  const all: AuditEntry[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await memory.admin.audit({ limit: PAGE_SIZE, ...(cursor && { cursor }) });
    all.push(...page.entries);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}

async function systemEntries(given: Given): Promise<LoggedEntry[]> {
  const { systemAudit } = await import('../compose/operator-audit.ts');
  return systemAudit(await databaseFrom(given));
}

function databaseFrom(given: Given): ReturnType<typeof storedConfiguration> {
  if (given.has('url')) throw usageError('--system needs the database: name it by --database.', given.command);
  return storedConfiguration(given);
}

/** Throws `NOT_FOUND` for a file that cannot be read or is empty, `PROVIDER_ERROR` for a line that is no entry. */
async function entriesIn(file: string): Promise<LoggedEntry[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be read.`, { cause });
  });
  const entries = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const entry = entryIn(line);
    if (entry !== undefined) return [entry];
    throw new LaminaError('PROVIDER_ERROR', `Line ${index + 1} of "${file}" is no entry of an audit log.`, {
      advice: 'Nothing was verified. Export the log again: lamina audit export FILE',
      details: { permanent: true },
    });
  });
  if (entries.length > 0) return entries;
  throw new LaminaError('NOT_FOUND', `There is no entry in "${file}": the file is empty.`, {
    advice: 'Export the log again: lamina audit export FILE',
  });
}

/** As it stands there, since its hash is over that. Undefined for what is none. */
function entryIn(line: string): LoggedEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!LINE.safeParse(value).success) return undefined;
    const { log, ...entry } = value as AuditEntry & { readonly log: string };
    return { log, entry };
  } catch {
    return undefined;
  }
}

export const audit: Command = {
  name: 'audit',
  summary: 'List, verify and export the log of administrative acts.',
  flags: [],
  examples: [{ line: 'lamina audit verify', does: 'Says whether it is as it was written, and its head.' }],
  commands: [list, exportLog, verify],
};
