/** What one call of a hot path costs: in things that can be counted, and in CPU time beside a fixed loop. */

import { LaminaError } from '../../src/domain/error.ts';
import type { StatementTape } from '../statement-tape.ts';
import { percentile } from '../statistics.ts';
import type { HotPath } from './hot-paths.ts';

/** Of one call, on average. The same on every machine: these are not measured, they are counted. */
export interface Counts {
  /** Statements sent to SQLite, and rows that came back. */
  readonly statements: number;
  readonly rows: number;
  /** The answer as JSON. */
  readonly answerBytes: number;
}

export interface Costs {
  /** What V8 allocated: the same from run to run within a percent, but not between versions of Node. */
  readonly allocatedBytes: number;
  /** CPU time, as a multiple of the fixed loop's. */
  readonly time: number;
}

const UNDISTURBED = 0.1;

export interface CheckEffort {
  /** Of CPU time: code is compiled by how often it runs, however long that takes. */
  readonly warmUpMs: number;
  readonly rounds: number;
  /** No more rounds after this long. */
  readonly mostMs: number;
}

async function round({ calls, call }: HotPath, seen?: (answer: unknown) => void): Promise<void> {
  for (let index = 0; index < calls; index += 1) {
    const answer = call(index);
    // Awaiting nothing would cost a promise.
    const value: unknown = answer instanceof Promise ? await answer : answer;
    seen?.(value);
  }
}

function bytesOf(answer: unknown): number {
  return Buffer.byteLength(typeof answer === 'string' ? answer : JSON.stringify(answer));
}

/** Statements must be prepared while the tape runs for it to see them. */
export async function countPath(path: HotPath, tape: StatementTape): Promise<Counts> {
  await path.prepare?.(path.calls);
  let answerBytes = 0;
  const { calls } = await tape.record(() => round(path, (answer) => (answerBytes += bytesOf(answer))));
  const counted = calls.filter(({ connection }) => path.isWrite === true || connection === 'reading');
  const rows = counted.reduce((sum, call) => sum + call.rows, 0);
  const perCall = (count: number): number => count / path.calls;
  return { statements: perCall(counted.length), rows: perCall(rows), answerBytes: perCall(answerBytes) };
}

function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function at(share: number, values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    share,
  );
}

/** Empties the young generation, so that what is in it afterwards is what has been allocated since. */
function collect(): void {
  if (globalThis.gc === undefined) {
    throw new LaminaError('CONFIGURATION_ERROR', 'Allocations cannot be counted: run this by npm run bench:check.');
  }
  globalThis.gc({ type: 'minor' });
}

/**
 * Path and loop take turns, and of each a round counts that is among the shortest of many short ones: one that nothing
 * else on the machine got in the way of. The very shortest is now and then one that the kernel has miscounted.
 */
export async function measureCosts(path: HotPath, loop: () => number, effort: CheckEffort): Promise<Costs> {
  const ends = cpuMicroseconds() + effort.warmUpMs * 1000;
  while (cpuMicroseconds() < ends) {
    await path.prepare?.(path.calls);
    await round(path);
    loop();
  }
  const [own, unit, allocated]: [number[], number[], number[]] = [[], [], []];
  const from = performance.now();
  for (let index = 0; index < effort.rounds && performance.now() - from < effort.mostMs; index += 1) {
    const before = cpuMicroseconds();
    loop();
    unit.push(cpuMicroseconds() - before);
    await path.prepare?.(path.calls);
    collect();
    const [heap, cpu] = [process.memoryUsage().heapUsed, cpuMicroseconds()];
    await round(path);
    own.push(cpuMicroseconds() - cpu);
    allocated.push(process.memoryUsage().heapUsed - heap);
  }
  return {
    allocatedBytes: at(0.5, allocated) / path.calls,
    time: at(UNDISTURBED, own) / path.calls / at(UNDISTURBED, unit),
  };
}
