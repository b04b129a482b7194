/** `lamina export`: everything of a tenant as a bundle, which `lamina import` reads. */

import { packageVersion } from '../compose/package-version.ts';
import type { BundleEnd, BundleSurvey } from '../core/bundle/bundle-end.ts';
import { COLLECTIONS, type Collection } from '../domain/archive.ts';
import type { BundleFooter } from '../domain/bundle.ts';
import { LaminaError } from '../domain/error.ts';
import { writeFileWhole, writeOut } from './bundle/bundle-file.ts';
import { openEnd } from './bundle/open-end.ts';
import { FORCE_FLAG, JSON_FLAG, usageError, type Command, type Given } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { whichMemory, WHO } from './memory-flags.ts';
import { memoryName } from './open-memory.ts';
import { progressBar } from './terminal/progress-bar.ts';
import { betweenPages, Stopped } from './terminal/stop-signal.ts';

export const exportBundle: Command = {
  name: 'export',
  summary: 'Write everything of a tenant to a file.',
  parameters: [{ name: 'FILE', description: 'Where to write it; - for the standard output' }],
  flags: [
    { name: 'gzip', description: 'Pack it', fallback: 'where FILE ends in .gz' },
    { name: 'no-vectors', description: 'Leave out the vectors: it is much smaller, and embedded anew when imported' },
    { name: 'with-keys', description: 'Also the API keys, as hashes: they go on working where it is imported' },
    {
      name: 'skip-unreadable',
      description:
        'Leave out what is sealed and cannot be opened any more, and name it; otherwise that stops the export',
    },
    FORCE_FLAG,
    JSON_FLAG,
    ...whichMemory(),
    ...WHO,
  ],
  examples: [
    { line: 'lamina export memory.jsonl.gz', does: 'Everything of your own memory, packed.' },
    {
      line: 'lamina export --tenant 6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11 tenant.jsonl --no-vectors',
      does: 'A tenant, without vectors.',
    },
  ],
  notes: [
    [
      'FILE is a bundle: lines of JSON with checksums (docs/bundle.md). It is written beside FILE, readable by you only, and put',
      'in its place when it is complete. It is everything: also what is private to users. Nothing needs to stop meanwhile, but it',
      'is not of one moment: what is written while it runs may be in it or not.',
    ].join('\n'),
    [
      'With --url it takes an administrator of the tenant, and leaves out API keys and the audit log. What lies in Redis is in',
      'it: where LAMINA_REDIS_URL is set and Redis cannot be reached, nothing is exported.',
    ].join('\n'),
  ].join('\n\n'),
  async run(given) {
    const [file = ''] = given.words;
    if (given.has('url') && given.has('with-keys')) {
      throw usageError('--with-keys needs the database: a service does not give its keys away.', given.command);
    }
    if (given.has('url') && given.has('skip-unreadable')) {
      throw usageError('--skip-unreadable needs the database: a service does not leave anything out.', given.command);
    }
    const skipped = new Set<string>();
    const skip = (collection: Collection, names: readonly string[]): void => {
      for (const name of names) skipped.add(`${collection} ${name}`);
    };
    const opened = await openEnd(given, {
      keys: given.has('with-keys'),
      embeds: false,
      mustExist: true,
      ...(given.has('skip-unreadable') && { skipped: skip }),
    });
    try {
      const { tenantId, footer } = await written(given, file, opened.end);
      return told(given, file, { tenantId, footer, skipped: [...skipped] }, await memoryName(given));
    } finally {
      await opened.close();
    }
  },
};

interface Written {
  readonly tenantId: string;
  readonly footer: BundleFooter;
}

interface Exported extends Written {
  /** What was left out. */
  readonly skipped: readonly string[];
}

async function written(given: Given, file: string, from: BundleEnd): Promise<Written> {
  const survey = await from.survey();
  const total = from.collections.reduce((sum, name) => sum + (survey.counts[name] ?? 0), 0);
  if (total === 0) {
    throw new LaminaError('NOT_FOUND', `There is nothing of tenant ${survey.tenantId} in ${await memoryName(given)}.`, {
      advice: 'Name another with --tenant, or another memory with --database or --url.',
    });
  }
  const gzip = given.has('gzip') || file.endsWith('.gz');
  const bar = progressBar(given);
  const result: { footer?: BundleFooter } = {};
  const text = textOf(given, from, survey, result, (done, label) =>
    bar.show({ done, total: Math.max(total, done), label }),
  );
  try {
    const how = { gzip, signal: given.signal };
    if (file === '-') await writeOutWhole(given, text, how);
    else await writeFileWhole(file, text, { ...how, overwrites: given.has('force') });
  } finally {
    bar.clear();
  }
  if (result.footer === undefined) throw new LaminaError('PROVIDER_ERROR', 'The export came to no end.');
  return { tenantId: survey.tenantId, footer: result.footer };
}

/** Whoever reads no more has not got a bundle. */
async function writeOutWhole(
  { terminal, signal }: Given,
  text: AsyncIterable<string>,
  how: Parameters<typeof writeOut>[2],
): Promise<void> {
  try {
    await writeOut(terminal.stdout, text, how);
    await betweenPages(signal);
  } catch (error) {
    if (!(error instanceof Stopped) || error.code !== EXIT_CODES.ok.code) throw error;
    throw new Stopped('The bundle was cut off: nobody reads the output any more.', EXIT_CODES.failed.code);
  }
}

/** The lines; the last one is told to `result` too. */
async function* textOf(
  given: Given,
  from: BundleEnd,
  survey: BundleSurvey,
  result: { footer?: BundleFooter },
  progress: (done: number, label: string) => void,
): AsyncGenerator<string, void> {
  const { bundleLines } = await import('../core/bundle/write-bundle.ts');
  result.footer = yield* bundleLines({
    from,
    survey,
    vectors: !given.has('no-vectors'),
    laminaVersion: await packageVersion(),
    now: Date.now(),
    progress: (collection, done) => {
      given.signal.throwIfAborted();
      progress(done, collection);
    },
  });
}

/** Not among the lines, where those go to the standard output. */
function told(given: Given, file: string, { tenantId, footer, skipped }: Exported, from: string): number {
  const { stdout, stderr } = given.terminal;
  const output = file === '-' ? stderr : stdout;
  const { counts, sha256 } = footer;
  const rows = COLLECTIONS.filter((name) => counts[name]).map(
    (name) => `  ${name.padEnd(18)}${String(counts[name]).padStart(10)}`,
  );
  const left =
    skipped.length === 0 ? [] : ['', 'Left out, because it cannot be read:', ...skipped.map((name) => `  ${name}`)];
  const done = `Exported tenant ${tenantId} of ${from}${file === '-' ? '' : ` to ${file}`}.`;
  const answer = { file, tenantId, counts, sha256, ...(given.has('skip-unreadable') && { skipped }) };
  output.write(
    given.has('json') ? `${JSON.stringify(answer, null, 2)}\n` : `${[done, '', ...rows, ...left].join('\n')}\n`,
  );
  return EXIT_CODES.ok.code;
}
