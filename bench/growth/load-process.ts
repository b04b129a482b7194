/** Fills a folder through `addMany`, as many users at once would, and remembers what can be asked for. */

import { Lamina } from '../../src/compose/lamina.ts';
import { BenchEmbedder } from '../bench-embedder.ts';
import { bytesOnDisk } from '../lamina-side.ts';
import { performTasks } from './growth-process.ts';
import { Population, principalOf, type Batch, type GrowthTarget } from './population.ts';

/** Calls that are under way at once and share a commit. */
const CONCURRENT = 10;

interface LoadTask {
  readonly folder: string;
  readonly entries: number;
  readonly seed: number;
  readonly targets: number;
}

export interface Loaded {
  readonly users: number;
  readonly shared: number;
  readonly targets: readonly GrowthTarget[];
  /** Entries per second: over everything, and over the last tenth. */
  readonly perSecond: number;
  readonly lastPerSecond: number;
  readonly bytes: number;
}

interface Known {
  readonly content: string;
  readonly id: string;
}

/** Of each batch of those who will ask, one entry; and one of each that is shared. */
class Sample {
  readonly #shared: Known[] = [];
  readonly #own: ReadonlyMap<string, Known[]>;

  constructor(users: readonly string[]) {
    this.#own = new Map(users.map((userId) => [userId, []]));
  }

  note({ userId, isShared, inputs }: Batch, ids: readonly string[]): void {
    const known = { content: inputs.at(-1)?.content ?? '', id: ids.at(-1) ?? '' };
    (isShared ? this.#shared : this.#own.get(userId))?.push(known);
  }

  targets(population: Population, count: number): GrowthTarget[] {
    const users = [...this.#own];
    return Array.from({ length: count }, (_, index) => {
      const [userId = '', own = []] = users[index % users.length] ?? [];
      return {
        userId,
        query: population.sentences.questionOn(population.pick(own).content),
        sharedQuery: population.sentences.questionOn(population.pick(this.#shared).content),
        id: population.pick(own).id,
      };
    });
  }
}

class Stopwatch {
  readonly #from: number;
  #entries = 0;
  #ms = 0;

  /** Counts what comes after so many entries. */
  constructor(from = 0) {
    this.#from = from;
  }

  note(done: number, entries: number, ms: number): void {
    if (done + entries <= this.#from) return;
    this.#entries += entries;
    this.#ms += ms;
  }

  get perSecond(): number {
    return (this.#entries * 1000) / this.#ms;
  }
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    if (group.push(item) < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

async function load({ folder, entries, seed, targets }: LoadTask): Promise<Loaded> {
  const embedder = new BenchEmbedder();
  const lamina = await Lamina.open({ folder, embedder });
  const population = new Population(entries, seed);
  const sample = new Sample(population.usersAsked(targets));
  const [all, last] = [new Stopwatch(), new Stopwatch(entries * 0.9)];
  let done = 0;
  for (const group of inGroups(population.batches(), CONCURRENT)) {
    embedder.prepare(group.flatMap(({ inputs }) => inputs.map(({ content }) => content)));
    const started = performance.now();
    const outputs = await Promise.all(
      group.map(({ userId, inputs }) => lamina.as(principalOf(userId)).addMany([...inputs])),
    );
    const ms = performance.now() - started;
    const count = outputs.flat().length;
    for (const watch of [all, last]) watch.note(done, count, ms);
    group.forEach((batch, index) => sample.note(batch, outputs[index]?.map(({ memory }) => memory.id) ?? []));
    done += count;
  }
  await lamina.close();
  return {
    users: population.users,
    shared: population.shared,
    targets: sample.targets(population, targets),
    perSecond: all.perSecond,
    lastPerSecond: last.perSecond,
    bytes: bytesOnDisk(folder),
  };
}

const TASKS = { load };
export type LoadTasks = typeof TASKS;

performTasks(TASKS);
