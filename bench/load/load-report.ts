/** The figures under load as text, and whether they are as they should be. */

import { digits, mebibytes, textTable, whole, type Column } from '../text-table.ts';
import type { EngineLoadResult } from './measure-load.ts';
import type { LoadFigures } from './load-process.ts';

/** What a process may hold more in the end than when it was warm, and still be called flat. */
const FLAT = 0.05;

const NAMES = { sqlite: 'SQLite, embedded in the service', postgres: 'PostgreSQL, a server beside it' } as const;

const LEGEND = `Four searches in five, three adds in twenty, the rest of everything else; one request under way on each connection.
Adds go through the local model; searches ask one of 1,000 questions. ms per request, as the client sees it.
Memory is that of the service and of the model's process. Resident, it has garbage that V8 has not collected yet and room that it keeps;
in use is what is left after collecting. In it are caches with a bound: SQLite's pages, 31 MiB for the two connections of a tenant, and
10,000 vectors. They are full when there are memories enough before.`;

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/** What is not as it should be. */
export function loadProblems({ engine, errors, firstError, lost, heldGrowth, drain }: EngineLoadResult): string[] {
  return [
    ...(errors > 0 ? [`${engine}: ${errors} requests failed. The first: ${firstError ?? ''}`] : []),
    ...(lost > 0 ? [`${engine}: ${lost} acknowledged writes are lost`] : []),
    ...(heldGrowth > FLAT ? [`${engine}: memory grew by ${percent(heldGrowth)} after warming up`] : []),
    ...(drain.unanswered > 0
      ? [`${engine}: ${drain.unanswered} requests had no answer. The first: ${drain.firstUnanswered ?? ''}`]
      : []),
    ...(drain.code === 0 ? [] : [`${engine}: the service ended with ${String(drain.code)}`]),
  ];
}

export function loadReport(results: readonly EngineLoadResult[]): string {
  return [LEGEND, ...results.map(engineReport)].join('\n\n');
}

function engineReport(result: EngineLoadResult): string {
  const { engine, seconds, connections, entriesBefore, figures, perSecond, errors } = result;
  const columns: Column<LoadFigures>[] = [
    { title: NAMES[engine], cell: ({ operation }) => operation },
    { title: 'requests', cell: ({ count }) => whole(count) },
    { title: 'per s', cell: ({ count }) => digits(count / seconds) },
    { title: 'p50 ms', cell: ({ p50 }) => digits(p50) },
    { title: 'p95 ms', cell: ({ p95 }) => digits(p95) },
    { title: 'p99 ms', cell: ({ p99 }) => digits(p99) },
    { title: 'max ms', cell: ({ max }) => digits(max) },
  ];
  return [
    textTable(
      columns,
      figures.toSorted((a, b) => b.count - a.count),
    ),
    '',
    `${whole(seconds)} s, ${connections} connections, ${whole(entriesBefore)} memories before: ${whole(perSecond)} requests/s, ${errors} errors`,
    ...memoryLines(result),
    ...drainLines(result),
  ].join('\n');
}

function memoryLines({
  loopDelayP99Ms,
  loopDelayMaxMs,
  rssBytes,
  heldOverTime,
  modelBytes,
  heldGrowth,
  heapBytes,
}: EngineLoadResult): string[] {
  const verdict = Number.isNaN(heldGrowth) ? 'too short to tell' : heldGrowth <= FLAT ? 'flat' : 'GROWING';
  const heap = `heap and buffers ${mebibytes(heapBytes.warm)} when warm, ${mebibytes(heapBytes.end)} in the end`;
  return [
    `event loop: late by ${digits(loopDelayP99Ms)} ms at the 99th percentile of a second, ${digits(loopDelayMaxMs)} ms at most`,
    `memory, resident: ${mebibytes(rssBytes.first)} when warm, ${mebibytes(rssBytes.last)} in the end, ${mebibytes(rssBytes.highest)} at most`,
    `memory, in use: after each tenth of the time ${heldOverTime.map((bytes) => whole(bytes / 2 ** 20)).join(' ')} MiB`,
    `        of it the model ${mebibytes(modelBytes)}; ${heap}`,
    `        ${percent(heldGrowth)} by a line from the third tenth on: ${verdict}`,
  ];
}

function drainLines({ drain, acknowledged, lost }: EngineLoadResult): string[] {
  return [
    `SIGTERM under load: ended with ${String(drain.code)} after ${whole(drain.milliseconds)} ms; ${whole(drain.unanswered)} requests were closed without an answer`,
    `${whole(acknowledged)} memories that were acknowledged, read afterwards: ${lost} lost`,
  ];
}
