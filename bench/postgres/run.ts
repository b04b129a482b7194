/** `npm run bench:postgres`: what searches and writes cost on a PostgreSQL server, and what its policies add to searches. */

import type { PostgresDriver } from '../../src/engines/postgres/postgres-driver.ts';
import { openServer } from '../../src/engines/postgres/server-driver.ts';
import { BenchEmbedder } from '../bench-embedder.ts';
import { databaseUrl, flagsOf, runBenchmark, wholeNumber } from '../command-line.ts';
import { progressOn } from '../progress.ts';
import type { Comparison } from '../statistics.ts';
import { digits, textTable, times, whole } from '../text-table.ts';
import { Workload } from '../workload.ts';
import { fillDatabase, type TenantWrite } from './bulk-load.ts';
import { copyDatabase } from './database-copy.ts';
import { measureSearch, type Question, type SearchFigures } from './measure.ts';
import { measureWrites } from './measure-writes.ts';

const USAGE = `Usage: npm run bench:postgres -- --url postgres://SUPERUSER@HOST/DATABASE [options]

  --entries N    entries in all (default 20000)
  --tenants N    tenants that they are spread over (default 1)
  --users N      users in each tenant (default 20)
  --questions N  different searches (default 200)
  --writes N     calls of each kind that writes (default 25)
  --loaded       the database has been filled by an earlier run with the same numbers
  --help         shows this

The database must be empty, and the role a superuser: rows are loaded in bulk, with triggers off. A million entries take
about half an hour, most of it for building the HNSW index. The raw side of writes has a copy of it, DATABASE_raw, which is
dropped in the end.`;

const ROUNDS = 3;
const POOL_SIZE = 4;

interface Options {
  readonly url: string;
  readonly entries: number;
  readonly tenants: number;
  readonly users: number;
  readonly questions: number;
  readonly writes: number;
  readonly isLoaded: boolean;
  readonly wantsHelp: boolean;
}

const FLAGS = {
  url: { type: 'string', default: '' },
  entries: { type: 'string', default: '20000' },
  tenants: { type: 'string', default: '1' },
  users: { type: 'string', default: '20' },
  questions: { type: 'string', default: '200' },
  writes: { type: 'string', default: '25' },
  loaded: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Throws `CONFIGURATION_ERROR` for a wrong command line. */
function parseOptions(args: readonly string[]): Options {
  const { url, entries, tenants, users, questions, writes, loaded, help } = flagsOf(args, FLAGS, USAGE);
  return {
    url: databaseUrl(url, help === true, USAGE),
    entries: wholeNumber('entries', String(entries), 1),
    tenants: wholeNumber('tenants', String(tenants), 1),
    users: wholeNumber('users', String(users), 1),
    questions: wholeNumber('questions', String(questions), 1),
    writes: wholeNumber('writes', String(writes), 1),
    isLoaded: loaded === true,
    wantsHelp: help === true,
  };
}

function tenantId(index: number): string {
  return `00000000-0000-0000-0000-${index.toString(16).padStart(12, '0')}`;
}

/** The same for the same numbers, so that a database can be asked again without being filled again. */
function* writesOf({ entries, tenants, users }: Options): Generator<TenantWrite> {
  const workload = new Workload(1, users);
  const each = entries / tenants;
  let count = 0;
  for (const batch of workload.load(entries, Math.min(10, each))) {
    for (const write of batch) {
      yield { ...write, tenantId: tenantId(Math.floor(count / each)) };
      count += 1;
    }
  }
}

/** Some words of what somebody has told. */
function questionsOf(options: Options): Question[] {
  const step = Math.max(1, Math.floor(options.entries / options.questions));
  const questions: Question[] = [];
  let count = 0;
  for (const { tenantId: tenant, userId, input } of writesOf(options)) {
    if (count % step === 0) {
      const words = input.content.slice(0, -1).split(' ');
      questions.push({
        tenantId: tenant,
        userId,
        query: words
          .filter((_, at) => at % 2 === 0)
          .slice(0, 8)
          .join(' '),
      });
    }
    count += 1;
  }
  return questions.slice(0, options.questions);
}

function report(options: Options, { lamina, policies, plain, statements }: SearchFigures): string {
  const rows = [
    { name: 'Lamina, hybrid search', figures: lamina },
    { name: 'its statements, behind the policies', figures: policies },
    { name: 'the same with a plain WHERE', figures: plain },
  ];
  const table = textTable(
    [
      { title: 'what', cell: ({ name }) => name },
      { title: 'p50 ms', cell: ({ figures }) => digits(figures.p50) },
      { title: 'p95 ms', cell: ({ figures }) => digits(figures.p95) },
      { title: 'per s', cell: ({ figures }) => whole(figures.perSecond) },
    ],
    rows,
  );
  const title = `${whole(options.entries)} entries, ${whole(options.tenants)} tenants of ${whole(options.users)} users`;
  const ratio = `The policies cost ${times(policies.p50 / plain.p50)} at the median, ${times(policies.p95 / plain.p95)} at p95; `;
  return `${title}\n\n${table}\n\n${ratio}${statements.toFixed(1)} statements for each search, each one round trip.`;
}

function writesReport(rows: readonly Comparison[]): string {
  return textTable(
    [
      { title: 'writes', cell: ({ operation }) => operation },
      { title: 'per s', cell: ({ lamina }) => whole(lamina.perSecond) },
      { title: 'raw', cell: ({ raw }) => whole(raw.perSecond) },
      { title: 'of raw', cell: ({ ratio }) => times(1 / ratio.total) },
      { title: 'p50 ms', cell: ({ lamina }) => digits(lamina.p50) },
      { title: 'raw', cell: ({ raw }) => digits(raw.p50) },
      { title: 'SQL', cell: ({ statementsPerCall }) => digits(statementsPerCall) },
    ],
    rows,
  );
}

async function bench(options: Options): Promise<void> {
  const progress = progressOn(process.stderr);
  const opened = (url: string): Promise<PostgresDriver> =>
    openServer({ url, poolSize: POOL_SIZE, preparesStatements: true });
  const driver = await opened(options.url);
  const embedder = new BenchEmbedder();
  if (!options.isLoaded) await fillDatabase(driver, writesOf(options), embedder, progress);
  progress.say('searching');
  const figures = await measureSearch(driver, embedder, questionsOf(options), ROUNDS);
  progress.say('writing');
  await driver.close();
  const copy = await copyDatabase(options.url);
  const drivers = { lamina: await opened(options.url), raw: await opened(copy.url) };
  const writes = await measureWrites(drivers, POOL_SIZE, embedder, options.writes);
  progress.clear();
  console.log(`${report(options, figures)}\n\n${writesReport(writes)}`);
  await Promise.all([drivers.lamina.close(), drivers.raw.close()]);
  await copy.drop();
}

await runBenchmark(USAGE, parseOptions, bench);
