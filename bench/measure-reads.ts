/** The operations that read: recorded once, then timed without a recorder, in turns with the raw side. */

import { setImmediate } from 'node:timers/promises';
import { GENERIC_SENTENCES } from '../src/embedding/generic-sentences.ts';
import type { Memory } from '../src/operations/memory.ts';
import type { Embedder } from '../src/ports/embedder.ts';
import type { BenchContext } from './bench-context.ts';
import { LaminaSide } from './lamina-side.ts';
import type { Cue } from './raw-side.ts';
import { compare, Samples, type Comparison } from './statistics.ts';
import type { Target } from './workload.ts';

const RESULTS = 10;
const PAGE = 50;

interface ReadOperation {
  readonly operation: string;
  readonly ask: (memory: Memory, target: Target) => Promise<unknown>;
  /** How many times as many rounds as the others, where one answer takes microseconds. */
  readonly rounds?: number;
}

/** Without a threshold, so that each search finds its ten and has to fetch them. */
function search(mode: 'hybrid' | 'keyword' | 'semantic'): ReadOperation['ask'] {
  return (memory, { query }) => memory.search({ query, mode, limit: RESULTS, threshold: 0 });
}

const READS: readonly ReadOperation[] = [
  { operation: 'search hybrid, query cached', ask: search('hybrid') },
  { operation: 'search keyword', ask: search('keyword') },
  { operation: 'search semantic, query cached', ask: search('semantic') },
  { operation: 'get', ask: (memory, { id }) => memory.get({ id }), rounds: 10 },
  { operation: `list, page of ${PAGE}`, ask: (memory) => memory.list({ layer: 'user', limit: PAGE }) },
];

const MODEL_SEARCH: ReadOperation = { operation: 'search hybrid, query through the model', ask: search('hybrid') };

interface Planned extends ReadOperation {
  readonly items: readonly { readonly target: Target; readonly cue: Cue }[];
  readonly statementsPerCall: number;
}

/** Lets the raw side know what each question comes down to. */
async function plan(
  { folder, embedder, tape, raw }: BenchContext,
  operations: readonly ReadOperation[],
  targets: readonly Target[],
): Promise<Planned[]> {
  const lamina = await LaminaSide.openForgetful(folder, embedder);
  const planned: Planned[] = [];
  for (const operation of operations) {
    const items = [];
    for (const target of targets) {
      const { calls } = await tape.record(() => operation.ask(lamina.memoryOf(target.userId), target));
      // Accesses are counted now and then by a write that is no part of a read.
      items.push({ target, cue: raw.cue(calls.filter(({ connection }) => connection === 'reading')) });
    }
    const statements = items.reduce((sum, { cue }) => sum + cue.reads.length, 0);
    planned.push({ ...operation, items, statementsPerCall: statements / items.length });
  }
  await lamina.close();
  return planned;
}

export async function measureReads(context: BenchContext): Promise<Comparison[]> {
  const { effort, workload, tape, raw, progress } = context;
  progress.say('writing down what each read asks for');
  const planned = await tape.during(() => plan(context, READS, workload.targets(effort.targets)));
  const lamina = await LaminaSide.open(context.folder, context.embedder);
  const rows: Comparison[] = [];
  for (const { operation, ask, rounds = 1, items, statementsPerCall } of planned) {
    progress.say(operation);
    let sides = { lamina: new Samples(), raw: new Samples() };
    for (let round = 0; round <= effort.rounds * rounds; round += 1) {
      // Between blocks the event loop turns, so that accesses are written down as they would be in a service.
      await sides.lamina.block(items, ({ target }) => ask(lamina.memoryOf(target.userId), target), setImmediate);
      await sides.raw.block(items, ({ cue }) => raw.play(cue));
      // The first round is to warm up: code is compiled, pages and query vectors are cached.
      if (round === 0) sides = { lamina: new Samples(), raw: new Samples() };
    }
    rows.push(compare({ operation, entriesPerCall: 1, statementsPerCall }, sides));
  }
  await lamina.close();
  return rows;
}

/**
 * Queries that nobody asked before: both sides wait for the model to embed a sentence, then do what they do. The
 * sentence is a natural one, because the model takes longer for invented words.
 */
export async function measureModelSearch(context: BenchContext, model: Embedder): Promise<Comparison> {
  const { effort, workload, tape, raw, embedder, progress } = context;
  progress.say(MODEL_SEARCH.operation);
  const targets = workload.targets(effort.modelTexts);
  const [planned] = await tape.during(() => plan(context, [MODEL_SEARCH], targets));
  if (planned === undefined) throw new Error('A plan of one operation came back empty.');
  const lamina = await LaminaSide.open(context.folder, embedder);
  const sides = { lamina: new Samples(), raw: new Samples() };
  await model.embed(['Loads the model.']);
  for (const [index, item] of planned.items.entries()) {
    const { target, cue } = item;
    const sentence = GENERIC_SENTENCES[index % GENERIC_SENTENCES.length] ?? '';
    const toll = (): Promise<unknown> => model.embed([sentence]);
    embedder.toll = toll;
    await sides.lamina.block([item], () => planned.ask(lamina.memoryOf(target.userId), target));
    await sides.raw.block([item], async () => {
      await toll();
      raw.play(cue);
    });
  }
  embedder.toll = undefined;
  await lamina.close();
  const { operation, statementsPerCall } = planned;
  return compare({ operation, entriesPerCall: 1, statementsPerCall }, sides);
}
