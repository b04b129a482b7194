/** `npm run bench:hnsw`: a search over a million memories of one tenant on PostgreSQL, and what its vector index misses. */

import { localEmbedder } from '../../src/compose/embedders.ts';
import { openServer } from '../../src/engines/postgres/server-driver.ts';
import { databaseUrl, flagsOf, runBenchmark, wholeNumber } from '../command-line.ts';
import { progressOn } from '../progress.ts';
import { fillDatabase, type TenantWrite } from '../postgres/bulk-load.ts';
import { SeededRandom } from '../seeded-random.ts';
import { digits, textTable, whole } from '../text-table.ts';
import { measureHnsw, type HnswFigures } from './measure-recall.ts';
import { memorySentence } from './memory-sentences.ts';
import { NearbyEmbedder } from './nearby-embedder.ts';

const USAGE = `Usage: npm run bench:hnsw -- --url postgres://SUPERUSER@HOST/DATABASE [options]

  --entries N    memories of one user (default 1000000)
  --embedded N   how many of them the local model embeds; the others lie between two of these (default 20000)
  --questions N  (default 100)
  --loaded       the database has been filled by an earlier run with the same numbers
  --help         shows this

The database must be empty, and the role a superuser: rows are loaded in bulk, with triggers off.`;

const ASKER = { tenantId: '00000000-0000-0000-0000-000000000001', userId: 'ada' };
const MODEL_BATCH = 500;

interface Options {
  readonly url: string;
  readonly entries: number;
  readonly embedded: number;
  readonly questions: number;
  readonly isLoaded: boolean;
  readonly wantsHelp: boolean;
}

const FLAGS = {
  url: { type: 'string', default: '' },
  entries: { type: 'string', default: '1000000' },
  embedded: { type: 'string', default: '20000' },
  questions: { type: 'string', default: '100' },
  loaded: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Throws `CONFIGURATION_ERROR` for a wrong command line. */
function parseOptions(args: readonly string[]): Options {
  const { url, entries, embedded, questions, loaded, help } = flagsOf(args, FLAGS, USAGE);
  return {
    url: databaseUrl(url, help === true, USAGE),
    entries: wholeNumber('entries', String(entries), 1),
    embedded: wholeNumber('embedded', String(embedded), 1),
    questions: wholeNumber('questions', String(questions), 1),
    isLoaded: loaded === true,
    wantsHelp: help === true,
  };
}

function sentences(seed: number, count: number): string[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => memorySentence(random));
}

function* writes(count: number): Generator<TenantWrite> {
  const random = new SeededRandom(1);
  for (let done = 0; done < count; done += 1) {
    // The number makes each one different, so that each has a place of its own.
    const content = `${memorySentence(random)}${done < 1 ? '' : ` (${done})`}`;
    yield { ...ASKER, input: { content, layer: 'user', kind: done % 4 === 0 ? 'episodic' : 'semantic' } };
  }
}

function report({ entries, embedded, questions }: Options, { recall, leastRecall, modes, exact }: HnswFigures): string {
  const rows = [
    ...modes.map(({ mode, figures }) => ({ name: `Lamina, ${mode}`, figures })),
    { name: 'every vector compared', figures: exact },
  ];
  const table = textTable(
    [
      { title: 'search over everything', cell: ({ name }) => name },
      { title: 'p50 ms', cell: ({ figures }) => digits(figures.p50) },
      { title: 'p95 ms', cell: ({ figures }) => digits(figures.p95) },
    ],
    rows,
  );
  const title = `${whole(entries)} memories of one user, ${whole(embedded)} embedded by the model, ${whole(questions)} questions`;
  return `${title}\n\n${table}\n\nrecall@10 of HNSW: ${recall.toFixed(4)}; of the worst question ${leastRecall.toFixed(1)}`;
}

async function bench(options: Options): Promise<void> {
  const progress = progressOn(process.stderr);
  const driver = await openServer({ url: options.url, poolSize: 4, preparesStatements: true });
  const embedder = new NearbyEmbedder(localEmbedder());
  await embedder.learn(sentences(2, options.embedded), MODEL_BATCH, (done) => progress.say(`embedding ${whole(done)}`));
  if (!options.isLoaded) await fillDatabase(driver, writes(options.entries), embedder, progress);
  const questions = sentences(3, options.questions);
  await embedder.prepare(questions);
  progress.say('searching');
  const figures = await measureHnsw(driver, embedder, ASKER, questions);
  progress.clear();
  console.log(report(options, figures));
  await embedder.close();
}

await runBenchmark(USAGE, parseOptions, bench);
