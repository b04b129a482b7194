/**
 * One database through many crashes: write, be killed at a random moment, come back, look whether everything that was
 * acknowledged is there and nothing else, go on.
 */

import { expect } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Memory } from '../src/operations/memory.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { disagreements, EventBook } from './crash-agreement.ts';
import { Ledger, type Figures } from './crash-ledger.ts';
import { Load } from './crash-load.ts';
import { lookAtEverything } from './crash-look.ts';
import { RUN_SEED } from './run-seed.ts';

/** A few, so that it takes no time; `npm run test:crash` sets more. */
const ROUNDS = Number(process.env['LAMINA_CRASH_ROUNDS'] ?? 4);

/** For the whole of a test. */
export const CRASH_TIMEOUT_MS = 60_000 + ROUNDS * 60_000;

/** So many writes are acknowledged before something is killed, and then it is some milliseconds more. */
const LEAST_WRITES = 10;
const MOST_WRITES = 100;
const MOST_MS = 20;

/** And after it is back, where it goes on. */
const AFTERWARDS_MS = 200;

const THOROUGH_EVERY = 10;

/** Questions at a time. */
const AT_ONCE = 8;

export interface CrashTest {
  readonly name: string;
  /** What answers now. */
  memory(): Memory;
  /** Kills what is to be killed, at once. */
  kill(random: SeededRandom): Promise<void>;
  /** Brings it back. */
  restart(): Promise<void>;
  /** Whether what answers lives on, so that the load goes on through the outage. */
  readonly livesOn?: boolean;
  /** Looks at what lies on the disk, past everything of ours; thoroughly now and then, because that takes long. Throws. */
  inspect(isThorough: boolean): Promise<void>;
}

/** Prints what came of it. Throws where anything is lost, half done, made up or damaged. */
export async function surviveCrashes(test: CrashTest): Promise<void> {
  const seed = RUN_SEED;
  const random = new SeededRandom(seed);
  const ledger = new Ledger();
  const load = new Load(seed, ledger);
  const book = new EventBook();
  await load.prepare(test.memory());
  await book.begin(test.memory());
  for (let round = 1; round <= ROUNDS; round += 1) {
    const running = load.begin(test.memory());
    await running.acknowledged(LEAST_WRITES + random.below(MOST_WRITES - LEAST_WRITES));
    await sleep(random.below(MOST_MS));
    const stopped = test.livesOn ? undefined : running.stop();
    await test.kill(random);
    await stopped;
    await test.restart();
    if (test.livesOn) await sleep(AFTERWARDS_MS);
    await running.stop();
    const problems = await problemsIn(test.memory(), load, ledger, book);
    expect(problems, `${test.name}: round ${round}, seed ${seed}`).toEqual([]);
    await test.inspect(round % THOROUGH_EVERY === 0 || round === ROUNDS);
    if (round % THOROUGH_EVERY === 0 && round < ROUNDS) tell(test.name, round, seed, ledger.figures);
  }
  const { changes } = await test.memory().maintenance.run({ job: 'integrity' });
  expect(changes).toEqual([]);
  expect(ledger.figures.acknowledged).toBeGreaterThan(ROUNDS);
  tell(test.name, ROUNDS, seed, ledger.figures);
}

function tell(name: string, rounds: number, seed: number, figures: Figures): void {
  const { acknowledged, unknown, applied, refused } = figures;
  process.stdout.write(
    `${name}: killed ${rounds} times (seed ${seed}); ${acknowledged} writes acknowledged, 0 lost; ` +
      `${unknown} without an answer, of which ${applied} had happened; ${refused} refused, of which 0 had\n`,
  );
}

async function problemsIn(memory: Memory, load: Load, ledger: Ledger, book: EventBook): Promise<string[]> {
  const problems = ledger.compare(await lookAtEverything(memory, load.workers));
  if (problems.length > 0) return problems;
  const touched = [...(await book.read(memory, problems))];
  const ask = async (): Promise<void> => {
    for (let id = touched.pop(); id !== undefined; id = touched.pop()) {
      problems.push(...(await disagreements(memory, ledger, book, id)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return problems;
}
