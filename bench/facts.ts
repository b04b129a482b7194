/**
 * `npm run bench:facts -- --facts 1000000`: what questions about facts cost, by their shape, beside plain SQL over a plain
 * table with the same facts, in the same run. With `--database postgres://…` on PostgreSQL, without the plain table.
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Lamina } from '../src/compose/lamina.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { OperationInput } from '../src/operations/table.ts';
import { BenchEmbedder } from './bench-embedder.ts';
import { PlainFacts, type PlainFact } from './plain-facts.ts';
import { progressOn } from './progress.ts';
import { SeededRandom } from './seeded-random.ts';
import { Samples } from './statistics.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { digits, mebibytes, textTable, times, whole } from './text-table.ts';

const BATCH = 1000;
const CALLS = 300;
const BLOCK = 20;
const PAGE = 50;
const DAY_MS = 86_400_000;
const START = Date.parse('2025-01-01T00:00:00.000Z');
const TYPES = Array.from({ length: 12 }, (_, n) => `type ${n}`);
const PREDICATES = Array.from({ length: 40 }, (_, n) => `predicate ${n}`);
/** What much is said of: "Person", "Berlin". */
const HUBS = Array.from({ length: 50 }, (_, n) => `hub ${n}`);

/** One fact of ten says something of a hub; one of five has ended; each subject has about ten. */
function factOf(random: SeededRandom, subjects: number): PlainFact {
  const node = (): string => `subject ${random.between(0, subjects)}`;
  const from = START + random.between(0, 300) * DAY_MS;
  return {
    factType: random.pick(TYPES),
    subject: node(),
    predicate: PREDICATES[Math.floor(PREDICATES.length * random.next() ** 2)] ?? '',
    object: random.next() < 0.1 ? random.pick(HUBS) : node(),
    confidence: random.between(1, 101) / 100,
    validFrom: from,
    validTo: random.next() < 0.2 ? from + random.between(1, 60) * DAY_MS : null,
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();

function inputOf({ validFrom, validTo, ...fact }: PlainFact): OperationInput<'facts.add'> {
  return { ...fact, validFrom: iso(validFrom), ...(validTo !== null && { validTo: iso(validTo) }) };
}

interface Shape {
  readonly name: string;
  readonly ask: (facts: Memory['facts'], about: PlainFact) => Promise<unknown>;
  /** The same by hand. */
  readonly plain?: (plain: PlainFacts, about: PlainFact) => unknown;
}

type Given = (about: PlainFact) => Partial<Pick<PlainFact, 'factType' | 'subject' | 'predicate' | 'object'>>;

function listShape(name: string, given: Given, time: 'now' | 'then' | 'any' = 'now', minConfidence?: number): Shape {
  const at = START + 150 * DAY_MS;
  return {
    name,
    ask: (facts, about) =>
      facts.list({
        ...given(about),
        limit: PAGE,
        ...(time === 'then' && { asOf: iso(at) }),
        ...(time === 'any' && { includeClosed: true }),
        ...(minConfidence !== undefined && { minConfidence }),
      }),
    plain: (plain, about) =>
      plain.list(given(about), time === 'any' ? undefined : time === 'now' ? Date.now() : at, PAGE, minConfidence),
  };
}

const SHAPES: readonly Shape[] = [
  listShape('subject', ({ subject }) => ({ subject })),
  listShape('subject, predicate', ({ subject, predicate }) => ({ subject, predicate })),
  listShape('predicate, object', ({ predicate, object }) => ({ predicate, object })),
  listShape('object', ({ object }) => ({ object })),
  listShape('object that is a hub', () => ({ object: HUBS[0] ?? '' })),
  listShape('predicate', ({ predicate }) => ({ predicate })),
  listShape('fact type', ({ factType }) => ({ factType })),
  listShape('fact type, at least 0.9', ({ factType }) => ({ factType }), 'now', 0.9),
  listShape('anything', () => ({})),
  listShape('subject, as of a day', ({ subject }) => ({ subject }), 'then'),
  listShape('predicate, object, as of a day', ({ predicate, object }) => ({ predicate, object }), 'then'),
  listShape('subject, whole timeline', ({ subject }) => ({ subject }), 'any'),
  {
    name: 'neighbours, 1 hop',
    ask: (facts, { subject }) => facts.neighbours({ subject }),
    plain: (plain, { subject }) => plain.neighbours(subject, 1, Date.now()),
  },
  {
    name: 'neighbours, 2 hops out',
    ask: (facts, { subject }) => facts.neighbours({ subject, hops: 2, direction: 'out' }),
    plain: (plain, { subject }) => plain.neighboursOut(subject, Date.now()),
  },
  { name: 'shortest path', ask: (facts, { subject, object }) => facts.path({ from: subject, to: object, maxHops: 3 }) },
];

interface Row {
  readonly name: string;
  readonly lamina: Samples;
  readonly plain: Samples | undefined;
}

async function measure(
  facts: Memory['facts'],
  plain: PlainFacts | undefined,
  some: readonly PlainFact[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { name, ask, plain: byHand } of SHAPES) {
    const row = { name, lamina: new Samples(), plain: plain && byHand && new Samples() };
    for (const about of some.slice(0, BLOCK)) await ask(facts, about);
    // In turns, so that both meet the same weather.
    for (let start = 0; start < some.length; start += BLOCK) {
      const block = some.slice(start, start + BLOCK);
      await row.lamina.block(block, (about) => ask(facts, about));
      if (plain && byHand) await row.plain?.block(block, (about) => byHand(plain, about));
    }
    rows.push(row);
  }
  return rows;
}

function report(rows: readonly Row[]): string {
  const of = (samples: Samples | undefined, figure: 'p50' | 'p95'): number => samples?.figures(1)[figure] ?? Number.NaN;
  return textTable(
    [
      { title: 'facts by', cell: ({ name }) => name },
      { title: 'p50 ms', cell: ({ lamina }) => digits(of(lamina, 'p50')) },
      { title: 'p95 ms', cell: ({ lamina }) => digits(of(lamina, 'p95')) },
      { title: 'plain SQL p50', cell: ({ plain }) => digits(of(plain, 'p50')) },
      { title: 'p95', cell: ({ plain }) => digits(of(plain, 'p95')) },
      {
        title: 'ratio p50',
        cell: ({ lamina, plain }) => (plain === undefined ? '-' : times(of(lamina, 'p50') / of(plain, 'p50'))),
      },
    ],
    rows,
  );
}

const { values } = parseArgs({
  options: { facts: { type: 'string', default: '1000000' }, database: { type: 'string' } },
});
const count = Number(values.facts);
const folder = temporaryFolder();
const progress = progressOn(process.stderr);
const place = values.database === undefined ? { folder: join(folder, 'lamina') } : { database: values.database };
await using lamina = await Lamina.open({ ...place, embedder: new BenchEmbedder() });
// A tenant of its own: a database may hold others.
const { facts } = lamina.as({ userId: 'bench', tenantId: crypto.randomUUID() });
const plain = values.database === undefined ? new PlainFacts(join(folder, 'plain.db')) : undefined;
const random = new SeededRandom(1);
const some: PlainFact[] = [];
let laminaMs = 0;
let plainMs = 0;
for (let done = 0; done < count; done += BATCH) {
  const batch = Array.from({ length: Math.min(BATCH, count - done) }, () => factOf(random, Math.ceil(count / 10)));
  const started = performance.now();
  await facts.addMany({ facts: batch.map(inputOf) });
  laminaMs += performance.now() - started;
  const plainStarted = performance.now();
  plain?.insert(batch);
  plainMs += performance.now() - plainStarted;
  if (some.length < CALLS) some.push(...batch.slice(0, Math.ceil(CALLS / Math.min(50, count / BATCH))));
  progress.say(`${whole(done + batch.length)} of ${whole(count)} facts written`);
}
plain?.analyze();
progress.say('asking');
const rows = await measure(facts, plain, some.slice(0, CALLS));
progress.clear();
const perSecond = (ms: number): string => whole((count * 1000) / ms);
console.log(
  `${whole(count)} facts, written in batches of ${BATCH} at ${perSecond(laminaMs)} per s` +
    (plain ? `; by plain SQL at ${perSecond(plainMs)} per s, ${mebibytes(statSync(plain.file).size)}` : ''),
);
console.log(report(rows));
plain?.close();
