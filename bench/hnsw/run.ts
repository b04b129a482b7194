/** `npm run bench:hnsw`: a search over a million memories of one tenant on PostgreSQL, and what its vector index misses. */

import { parseArgs } from 'node:util';
import { localEmbedder } from '../../src/compose/embedders.ts';
import { migratePostgres } from '../../src/engines/postgres/postgres-migrations.ts';
import { openServer } from '../../src/engines/postgres/server-driver.ts';
import { progressOn } from '../progress.ts';
import { bulkLoad, type TenantWrite } from '../postgres/bulk-load.ts';
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

The database must be empty, and the role a superuser: rows are loaded in bulk, with triggers off.`;

const ASKER = { tenantId: '00000000-0000-0000-0000-000000000001', userId: 'ada' };
const MODEL_BATCH = 500;

interface Options {
  readonly url: string;
  readonly entries: number;
  readonly embedded: number;
  readonly questions: number;
  readonly isLoaded: boolean;
}

function optionsOf(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string' },
      entries: { type: 'string', default: '1000000' },
      embedded: { type: 'string', default: '20000' },
      questions: { type: 'string', default: '100' },
      loaded: { type: 'boolean', default: false },
    },
  });
  const [entries = 0, embedded = 0, questions = 0] = [values.entries, values.embedded, values.questions].map(Number);
  const areWhole = [entries, embedded, questions].every((value) => Number.isSafeInteger(value) && value > 0);
  return values.url === undefined || !areWhole
    ? undefined
    : { url: values.url, entries, embedded, questions, isLoaded: values.loaded };
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

const options = optionsOf(process.argv.slice(2));
if (options === undefined) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const progress = progressOn(process.stderr);
  const driver = await openServer({ url: options.url, poolSize: 4, preparesStatements: true });
  const embedder = new NearbyEmbedder(localEmbedder());
  await embedder.learn(sentences(2, options.embedded), MODEL_BATCH, (done) => progress.say(`embedding ${whole(done)}`));
  if (!options.isLoaded) {
    await migratePostgres(driver, { now: Date.now() });
    const connection = await driver.reserve();
    await bulkLoad(connection, writes(options.entries), embedder, (done) => progress.say(`loading ${whole(done)}`));
    connection.release();
  }
  const questions = sentences(3, options.questions);
  await embedder.prepare(questions);
  progress.say('searching');
  const figures = await measureHnsw(driver, embedder, ASKER, questions);
  progress.clear();
  console.log(report(options, figures));
  await embedder.close();
}
