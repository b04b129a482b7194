/** The results as text. */

import type { Machine } from './machine.ts';
import type { ModelFigures } from './measure-model.ts';
import type { SizeResult } from './measure-size.ts';
import type { Comparison } from './statistics.ts';
import type { WorkingFigure } from './working.ts';
import { digits, mebibytes, textTable, times, whole, type Column } from './text-table.ts';

export interface Results {
  readonly machine: Machine;
  readonly seed: number;
  readonly isQuick: boolean;
  readonly sizes: readonly SizeResult[];
  readonly working: readonly WorkingFigure[];
  /** Of memory, for each working value that is held there. */
  readonly heldBytes: number;
  readonly model: ModelFigures;
}

const COLUMNS: readonly Column<Comparison>[] = [
  { title: 'operation', cell: ({ operation }) => operation },
  { title: 'per s', cell: ({ lamina }) => whole(lamina.perSecond) },
  { title: 'raw', cell: ({ raw }) => whole(raw.perSecond) },
  { title: 'p50 ms', cell: ({ lamina }) => digits(lamina.p50) },
  { title: 'raw', cell: ({ raw }) => digits(raw.p50) },
  { title: 'p95 ms', cell: ({ lamina }) => digits(lamina.p95) },
  { title: 'raw', cell: ({ raw }) => digits(raw.p95) },
  { title: 'p50 ratio', cell: ({ ratio }) => times(ratio.p50) },
  { title: 'p95 ratio', cell: ({ ratio }) => times(ratio.p95) },
  { title: 'SQL', cell: ({ statementsPerCall }) => digits(statementsPerCall) },
];

const LEGEND = `raw: better-sqlite3 with the same statements on a file of its own. ratio: how many times as long Lamina takes.
per s counts entries for what writes and answers for what reads; p50 and p95 are per call. SQL: statements per call.`;

export function machineLine({ cores, memoryGiB, platform, node, sqlite }: Machine): string {
  return `${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}, SQLite ${sqlite}`;
}

export function sizeReport({ entries, users, load, operations, bytesPerEntry, rssBytes }: SizeResult): string {
  const share = whole(entries / users);
  return `${whole(entries)} entries, ${whole(users)} users: a search reaches about ${share} of them

${textTable(COLUMNS, operations)}

${load.operation}: ${whole(load.lamina.perSecond)} rows/s, raw ${whole(load.raw.perSecond)} (${times(load.ratio.total)})
on disk: ${whole(bytesPerEntry)} bytes per entry
process: ${mebibytes(rssBytes)} resident, with the raw side and the benchmark's own data, without the model`;
}

export function modelReport({ model, runtime, loadMs, rows }: ModelFigures): string {
  const table = textTable(
    [
      { title: model, cell: ({ what }) => what },
      { title: 'texts per s', cell: ({ native }) => digits(native.perSecond) },
      { title: 'WebAssembly', cell: ({ wasm }) => digits(wasm.perSecond) },
      { title: 'p50 ms', cell: ({ native }) => digits(native.p50) },
      { title: 'WebAssembly', cell: ({ wasm }) => digits(wasm.p50) },
      { title: 'faster', cell: ({ faster }) => times(faster) },
    ],
    rows,
  );
  return `${table}\n\n${runtime}, loaded with its first text in ${whole(loadMs)} ms`;
}

export function heading(machine: Machine, isQuick: boolean): string {
  const lines = [machineLine(machine), LEGEND];
  if (isQuick) lines.push('A smoke run: far too short for its numbers to mean anything.');
  if (machine.isInMemory) {
    lines.push('The temporary folder is in memory, where a durable write costs nothing: set TMPDIR to a disk.');
  }
  return lines.join('\n');
}
