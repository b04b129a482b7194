/** How things grow, as text. */

import type { Machine } from '../machine.ts';
import { machineLine } from '../report.ts';
import { digits, mebibytes, textTable, times, whole, type Column } from '../text-table.ts';
import type { Growth, GrowthFigures, GrowthRow, GrowthSize } from './measure-growth.ts';

/** What was promised: by how much a user may notice that others are there too, and how soon a start is over. */
const MOST_GROWTH = 2;
const GROWTH_FROM = 10_000;
const MOST_START_MS = 2000;

type Percentile = 'p50' | 'p95';

/** 1000 as `1k`, 1000000 as `1M`. */
export function shortCount(count: number): string {
  if (count >= 1_000_000) return `${count / 1_000_000}M`;
  return count >= 1000 ? `${count / 1000}k` : String(count);
}

function milliseconds(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : digits(value);
}

/** From 10,000 entries on where those were measured; what is smaller fits into every cache. */
function endsOf({ sizes }: GrowthRow): readonly [GrowthFigures | undefined, GrowthFigures | undefined] {
  return [sizes.find(({ entries }) => entries >= GROWTH_FROM) ?? sizes[0], sizes.at(-1)];
}

/** How many times as long as with the fewest entries that count; undefined where there is nothing to compare. */
function growthOf(row: GrowthRow, percentile: Percentile): number | undefined {
  const [from, to] = endsOf(row);
  const [before, after] = [from?.[percentile], to?.[percentile]];
  return from === to || !before || !after ? undefined : after / before;
}

function operationTable({ rows, sizes }: Growth): string {
  const growth = (percentile: Percentile): Column<GrowthRow> => ({
    title: `${percentile} grows`,
    cell: (row) => {
      const value = growthOf(row, percentile);
      return value === undefined ? '-' : times(value);
    },
  });
  const columnsOf = (percentile: Percentile): Column<GrowthRow>[] =>
    sizes.map(({ entries }, index) => ({
      title: index === 0 ? `${percentile} ${shortCount(entries)}` : shortCount(entries),
      cell: (row) => milliseconds(row.sizes[index]?.[percentile]),
    }));
  return textTable(
    [
      { title: 'ms per call', cell: ({ operation, isScoped }: GrowthRow) => (isScoped ? operation : `${operation} *`) },
      ...columnsOf('p50'),
      ...columnsOf('p95'),
      growth('p50'),
      growth('p95'),
    ],
    rows,
  );
}

function sizeTable(sizes: readonly GrowthSize[]): string {
  return textTable<GrowthSize>(
    [
      { title: 'entries', cell: ({ entries }) => whole(entries) },
      { title: 'users', cell: ({ users }) => whole(users) },
      { title: 'shared', cell: ({ shared }) => whole(shared) },
      { title: 'loaded per s', cell: ({ perSecond }) => whole(perSecond) },
      { title: 'last tenth', cell: ({ lastPerSecond }) => whole(lastPerSecond) },
      { title: 'on disk', cell: ({ bytes }) => mebibytes(bytes) },
      { title: 'each', cell: ({ bytes, entries }) => `${whole(bytes / entries)} B` },
      { title: 'start ms', cell: ({ firstSearchMs }) => digits(firstSearchMs) },
      { title: 'first shared ms', cell: ({ firstSharedSearchMs }) => digits(firstSharedSearchMs) },
      { title: 'resident', cell: ({ rssBytes }) => mebibytes(rssBytes) },
      { title: 'heap', cell: ({ heapBytes }) => mebibytes(heapBytes) },
    ],
    sizes,
  );
}

const LEGEND = `A user has 500 entries at every size (300 memories, 200 episodes); a tenth is shared by all (half at 1k). * looks at what is
shared too, which grows. start: from opening the folder to the first answer. resident, heap: of a process that has done all this.`;

/** What was promised, and whether it holds here. */
function verdicts({ rows, sizes }: Growth): string[] {
  const scoped = rows
    .filter(({ isScoped }) => isScoped)
    .flatMap((row) => {
      const growth = growthOf(row, 'p50');
      return growth === undefined ? [] : [{ row, growth }];
    })
    .toSorted((a, b) => b.growth - a.growth);
  const [worst] = scoped;
  const largest = sizes.at(-1);
  const lines: string[] = [];
  if (worst !== undefined && (endsOf(worst.row)[0]?.entries ?? 0) >= GROWTH_FROM) {
    const [from, to] = endsOf(worst.row).map((figures) => shortCount(figures?.entries ?? 0));
    const verdict = worst.growth <= MOST_GROWTH ? 'holds' : 'DOES NOT HOLD';
    lines.push(
      `What is scoped to a user grows at most ${MOST_GROWTH}× from ${from} to ${to} (p50): ${verdict}; most grows ` +
        `"${worst.row.operation}", ${times(worst.growth)}.`,
    );
  }
  if (largest !== undefined) {
    const verdict = largest.firstSearchMs <= MOST_START_MS ? 'holds' : 'DOES NOT HOLD';
    lines.push(
      `A start with ${shortCount(largest.entries)} entries takes at most ${whole(MOST_START_MS)} ms: ${verdict}; ` +
        `${digits(largest.firstSearchMs)} ms.`,
    );
  }
  return lines;
}

/** The machine, and what a reader has to know about it before trusting the numbers. */
export function growthHeading(machine: Machine, busyWith: number | undefined): string {
  const lines = [machineLine(machine)];
  if (busyWith !== undefined) lines.push(`The machine was busy with something else (load ${busyWith.toFixed(1)}).`);
  if (machine.isInMemory) {
    lines.push('The temporary folder is in memory, where a durable write costs nothing: set TMPDIR to a disk.');
  }
  return lines.join('\n');
}

export function growthReport(growth: Growth): string {
  return [operationTable(growth), sizeTable(growth.sizes), LEGEND, verdicts(growth).join('\n')].join('\n\n');
}
