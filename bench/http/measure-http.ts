/** `lamina serve` beside bare Fastify, asked the same in turns by a third process. */

import { cpSync } from 'node:fs';
import { Lamina } from '../../src/compose/lamina.ts';
import type { Effort } from '../options.ts';
import type { Progress } from '../progress.ts';
import { Workload } from '../workload.ts';
import { LIBRARY_PREFIX, SQL_PREFIX, type BareRoute } from './bare-server.ts';
import { LoadProcess, ServerProcess } from './processes.ts';
import { askedBy, HTTP_ROWS, requestBytes, type HttpRow, type Known } from './requests.ts';

/** Medians over the blocks. */
export interface HttpFigures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server for one answer. */
  readonly cpuMicroseconds: number;
  readonly loopDelayP99Ms: number;
}

/** Lamina; Fastify that returns the same bytes, at once or when the SQL is done; Fastify that asks the library and returns its output. */
const SIDES = ['lamina', 'bytes', 'sql', 'library'] as const;
type Side = (typeof SIDES)[number];

export interface HttpComparison extends Readonly<Record<Side, HttpFigures>> {
  readonly operation: string;
  readonly target: number;
  readonly answerBytes: number;
  /** Throughput of Lamina as a share of theirs, each from blocks that followed each other. */
  readonly share: Readonly<Record<Exclude<Side, 'lamina'>, number>>;
  /** Whether it is to be compared with SQL: else nothing is asked of the file. */
  readonly reads: boolean;
}

const CONNECTIONS = 32;
/** As many blocks long is the warm-up: code that runs for hours is compiled once, and that is not what is asked here. */
const WARM_UP_BLOCKS = 6;
const ENTRIES_OF_OTHERS = 9;
const KEYS = 100;

/** One user's entries among those of others, and working memory of a plan. */
async function prepare(folder: string, entries: number, asked: number): Promise<Known> {
  await using lamina = await Lamina.open({ folder });
  const workload = new Workload(1, ENTRIES_OF_OTHERS + 1);
  for (const batch of workload.load(entries, 100)) {
    const [first] = batch;
    const added = await lamina.as({ userId: first?.userId ?? '' }).addMany(batch.map(({ input }) => input));
    workload.remember(
      batch,
      added.map(({ memory }) => memory.id),
    );
  }
  const targets = workload.targets(asked * (ENTRIES_OF_OTHERS + 1) * 2).filter(({ userId }) => userId === 'user-0');
  const planId = 'plan-123';
  const keys = Array.from({ length: KEYS }, (_, index) => `key-${index}`);
  const { working } = lamina.as({ userId: 'user-0' });
  await Promise.all(keys.map((key) => working.set({ planId, key, value: { confidence: 0.9, data: 'So far.' } })));
  return {
    userId: 'user-0',
    planId,
    keys,
    ids: targets.map(({ id }) => id),
    queries: targets.map(({ query }) => query),
  };
}

/** The answer of Lamina that the bare route then gives. */
async function specimen(port: number, row: HttpRow, known: Known): Promise<BareRoute> {
  const [ask] = row.asks(known);
  const response = await fetch(`http://127.0.0.1:${port}${ask?.path ?? ''}`, {
    method: row.method,
    headers: { 'X-User-ID': known.userId, ...(ask?.body && { 'Content-Type': 'application/json' }) },
    ...(ask?.body && { body: JSON.stringify(ask.body) }),
  });
  return {
    method: row.method,
    url: row.url,
    status: response.status,
    body: await response.text(),
    asks: row.reads ? row.asks(known).map((each) => askedBy(each, row.url)) : undefined,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function figuresOf(blocks: readonly HttpFigures[]): HttpFigures {
  const of = (name: keyof HttpFigures): number => median(blocks.map((block) => block[name]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    cpuMicroseconds: of('cpuMicroseconds'),
    loopDelayP99Ms: of('loopDelayP99Ms'),
  };
}

async function measureBlock(
  server: ServerProcess,
  load: LoadProcess,
  requests: readonly string[],
  ms: number,
): Promise<HttpFigures> {
  const before = await server.read();
  const { answers, milliseconds, p50, p99 } = await load.run({
    port: server.port,
    requests,
    connections: CONNECTIONS,
    milliseconds: ms,
  });
  const after = await server.read();
  return {
    perSecond: (answers * 1000) / milliseconds,
    p50,
    p99,
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / answers,
    loopDelayP99Ms: after.loopDelayP99Ms,
  };
}

export async function measureHttp(folder: string, effort: Effort, progress: Progress): Promise<HttpComparison[]> {
  progress.say('HTTP: loading');
  const { entries, rounds, blockMs } = effort.http;
  const known = await prepare(folder, entries, effort.targets);
  const [copy, sqlFolder] = [`${folder}-bare`, `${folder}-sql`];
  for (const each of [copy, sqlFolder]) cpSync(folder, each, { recursive: true });
  const load = new LoadProcess();
  const lamina = await ServerProcess.lamina(folder);
  const specimens: BareRoute[] = [];
  for (const row of HTTP_ROWS) specimens.push(await specimen(lamina.port, row, known));
  const bare = await ServerProcess.bare({ folder: copy, sqlFolder, userId: known.userId, routes: specimens });
  const rows: HttpComparison[] = [];
  for (const [index, row] of HTTP_ROWS.entries()) {
    progress.say(`HTTP: ${row.operation}`);
    const asks = row.asks(known);
    const requests = (prefix: string): string[] =>
      asks.map((ask) => requestBytes(row.method, known.userId, ask, prefix));
    const servers: Record<Side, (ms: number) => Promise<HttpFigures>> = {
      lamina: (ms) => measureBlock(lamina, load, requests(''), ms),
      bytes: (ms) => measureBlock(bare, load, requests(''), ms),
      sql: (ms) => measureBlock(bare, load, requests(row.reads ? SQL_PREFIX : ''), ms),
      library: (ms) => measureBlock(bare, load, requests(LIBRARY_PREFIX), ms),
    };
    const blocks: Record<Side, HttpFigures[]> = { lamina: [], bytes: [], sql: [], library: [] };
    for (let round = 0; round <= rounds; round += 1) {
      for (const side of SIDES) {
        const figures = await servers[side](round === 0 ? blockMs * WARM_UP_BLOCKS : blockMs);
        if (round > 0) blocks[side].push(figures);
      }
    }
    const shareOf = (side: Side): number =>
      median(blocks.lamina.map(({ perSecond }, round) => perSecond / (blocks[side][round]?.perSecond ?? Number.NaN)));
    rows.push({
      operation: row.operation,
      target: row.target,
      answerBytes: Buffer.byteLength(specimens[index]?.body ?? ''),
      lamina: figuresOf(blocks.lamina),
      bytes: figuresOf(blocks.bytes),
      sql: figuresOf(blocks.sql),
      library: figuresOf(blocks.library),
      share: { bytes: shareOf('bytes'), sql: shareOf('sql'), library: shareOf('library') },
      reads: row.reads,
    });
  }
  await Promise.all([load.stop(), lamina.stop(), bare.stop()]);
  return rows;
}
