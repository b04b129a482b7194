/** `lamina import` of a bundle: the whole file is checked before anything of it is written. */

import { stat } from 'node:fs/promises';
import type { OpenEnd } from '../../compose/bundle-end.ts';
import type { CheckedBundle, ImportReport } from '../../core/bundle/import-bundle.ts';
import type { Renamings } from '../../core/bundle/remapping.ts';
import { COLLECTIONS, type Collection } from '../../domain/archive.ts';
import type { BundleCounts, BundleHeader } from '../../domain/bundle.ts';
import { LaminaError } from '../../domain/error.ts';
import { answer } from '../terminal/answer.ts';
import { usageError, type Given } from '../command.ts';
import { tenantFrom } from '../memory-flags.ts';
import { memoryName } from '../open-memory.ts';
import { counted } from '../terminal/counted.ts';
import { progressBar } from '../terminal/progress-bar.ts';
import { whileWaiting } from '../terminal/waiting.ts';
import { fileChunks, unpacked } from './bundle-file.ts';
import { openEnd } from './open-end.ts';
import { renamingsFrom } from './renamings.ts';

const MEGABYTE = 1_000_000;

/** Throws `VALIDATION_FAILED` with the line that is wrong. */
export async function importBundleFile(given: Given): Promise<number> {
  const [file = ''] = given.words;
  const renamings = renamingsFrom(given);
  if (file === '-' && given.terminal.stdin.isTTY === true) {
    throw usageError('There is nothing to read: pipe a bundle in, or name a file.', given.command);
  }
  const checked = file === '-' && !given.has('check') ? undefined : await check(given, file, renamings);
  if (checked !== undefined && given.has('check')) return tellChecked(given, file, checked);
  return tellImported(given, await importFrom(given, file, renamings, checked), await memoryName(given));
}

async function check(given: Given, file: string, renamings: Renamings): Promise<CheckedBundle> {
  const { checkBundle } = await import('../../core/bundle/import-bundle.ts');
  if (file === '-') {
    return whileWaiting(given, 'Checking', checkBundle(unpacked(given.terminal.stdin), { renamings }));
  }
  const bar = progressBar(given);
  const total = Math.ceil((await sizeOf(file)) / MEGABYTE);
  const read = (bytes: number): void => {
    given.signal.throwIfAborted();
    bar.show({ done: Math.floor(bytes / MEGABYTE), total, label: 'MB checked' });
  };
  try {
    return await checkBundle(fileChunks(file, read), { renamings });
  } finally {
    bar.clear();
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (cause) {
    throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be read.`, { cause });
  }
}

async function importFrom(
  given: Given,
  file: string,
  renamings: Renamings,
  checked: CheckedBundle | undefined,
): Promise<ImportReport> {
  const { importBundle } = await import('../../core/bundle/import-bundle.ts');
  const total = checked && Object.values(checked.footer.counts).reduce((sum, count) => sum + count, 0);
  const bar = progressBar(given);
  let opened: OpenEnd | undefined;
  try {
    const importing = importBundle({
      chunks: file === '-' ? unpacked(given.terminal.stdin) : fileChunks(file),
      renamings,
      signal: given.signal,
      openTarget: async (header) => {
        opened = await openTarget(given, header);
        return opened.end;
      },
      withoutVectors: given.has('no-vectors'),
      progress: (label, done) => total !== undefined && bar.show({ done, total, label }),
    });
    // How much is piped in nobody knows.
    return await (total === undefined ? whileWaiting(given, 'Importing', importing) : importing);
  } finally {
    bar.clear();
    await opened?.close();
  }
}

/** A key says of which tenant it is, and opens no other. */
function openTarget(given: Given, header: BundleHeader): Promise<OpenEnd> {
  const isSameTenant = (tenantFrom(given) ?? header.tenantId) === header.tenantId;
  const embeds = !header.vectors || given.has('no-vectors');
  return openEnd(given, { keys: isSameTenant, embeds, mustExist: false, tenantId: header.tenantId });
}

function tellChecked(given: Given, file: string, { header, footer, unmetUsers }: CheckedBundle): number {
  const { tenantId, exportedAt, laminaVersion, vectors } = header;
  const { counts, spaces, sha256 } = footer;
  warnOfUnmet(given, unmetUsers);
  const value = { file, tenantId, exportedAt, laminaVersion, vectors, counts, spaces, sha256 };
  return answer(given, value, () =>
    [
      `${file === '-' ? 'The bundle' : file} is whole: tenant ${tenantId} as of ${exportedAt}, by Lamina ${laminaVersion}.`,
      vectors
        ? `Vectors of ${spaces.map(({ model, dimensions }) => `${model} (${dimensions})`).join(', ') || 'no model'}.`
        : 'Without vectors: they are made when it is imported.',
      '',
      ...tableOf(counts, [['in the bundle', counts]]),
    ].join('\n'),
  );
}

function tellImported(given: Given, report: ImportReport, target: string): number {
  const { tenantId, added, leftOut, embedded, footer, unmetUsers } = report;
  warnOfUnmet(given, unmetUsers);
  const value = { tenantId, counts: footer.counts, added, leftOut, embedded };
  return answer(given, value, () =>
    [
      `Imported into tenant ${tenantId} of ${target}.`,
      '',
      ...tableOf(footer.counts, [
        ['in the bundle', footer.counts],
        ['new', added],
      ]),
      ...(embedded > 0 ? ['', `${counted(embedded, 'entry was', 'entries were')} embedded.`] : []),
      ...Object.entries(leftOut).map(([name, count]) => `\n${count} ${name} were left out: ${whyLeftOut(given)}`),
    ].join('\n'),
  );
}

function warnOfUnmet({ terminal }: Given, users: readonly string[]): void {
  for (const user of users) terminal.stderr.write(`Note: --map-user: nobody in the bundle is called "${user}".\n`);
}

function whyLeftOut(given: Given): string {
  return given.has('url')
    ? 'a service does not take them. Import into its database instead.'
    : 'they open no other tenant than their own.';
}

function tableOf(counts: BundleCounts, columns: readonly (readonly [title: string, BundleCounts])[]): string[] {
  const row = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(18)}${cells.map((cell) => cell.padStart(15)).join('')}`;
  const shown = COLLECTIONS.filter((name) => counts[name]);
  const cellsOf = (name: Collection): string[] => columns.map(([, column]) => String(column[name] ?? 0));
  return [
    row(
      '',
      columns.map(([title]) => title),
    ),
    ...shown.map((name) => row(name, cellsOf(name))),
  ];
}
