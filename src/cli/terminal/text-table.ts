/** Tables that fit the terminal: one column gives way where there is no room. Pure. */

import { fitted, oneLine, padded, widthOf } from './shown-text.ts';
import { plain, type Paint } from './style.ts';
import type { Terminal } from './terminal.ts';

export interface Column<T> {
  readonly title: string;
  readonly text: (row: T) => string;
  readonly align?: 'left' | 'right';
  /** The one that is cut where the terminal is narrow. */
  readonly gives?: boolean;
  /** Left out where there is no room, the last such first. */
  readonly optional?: boolean;
  /** How what stands there is painted. */
  readonly format?: Parameters<Paint>[0];
}

const GAP = '  ';

/** Of a column that gives way. */
const LEAST_WIDTH = 12;

/** Where no terminal says. */
const DEFAULT_COLUMNS = 120;

/** In which the text of a command has to fit. */
export function columnsOn({ stdout, environment }: Pick<Terminal, 'stdout' | 'environment'>): number {
  const told = Number(environment['COLUMNS']);
  // A terminal that does not know its size says 0.
  return stdout.columns || (Number.isInteger(told) && told > 0 ? told : DEFAULT_COLUMNS);
}

export function textTable<T>(
  rows: readonly T[],
  wanted: readonly Column<T>[],
  width: number,
  paint: Paint = plain,
): string[] {
  const columns = withRoom(rows, wanted, width);
  const cells = cellsOf(rows, columns, width);
  const widths = widthsOf(columns, cells, width);
  const line = (texts: readonly string[], formatOf: (column: Column<T>) => Column<T>['format']): string =>
    columns
      .map((column, index) => {
        const text = fitted(texts[index] ?? '', widths[index] ?? 0);
        const shown = padded(text, widths[index] ?? 0, column.align);
        const format = formatOf(column);
        return format === undefined || text === '' ? shown : paint(format, shown);
      })
      .join(GAP)
      .trimEnd();
  return [
    line(
      columns.map(({ title }) => title),
      () => 'bold',
    ),
    ...cells.map((texts) => line(texts, ({ format }) => format)),
  ];
}

function cellsOf<T>(rows: readonly T[], columns: readonly Column<T>[], width: number): string[][] {
  return rows.map((row) => columns.map(({ text }) => cell(text(row), width)));
}

/** All of them, or without some that are optional. */
function withRoom<T>(rows: readonly T[], columns: readonly Column<T>[], width: number): readonly Column<T>[] {
  const last = columns.findLastIndex(({ optional }) => optional);
  if (last === -1) return columns;
  const widths = widthsOf(columns, cellsOf(rows, columns, width), width);
  return sumOf(widths) <= width ? columns : withRoom(rows, columns.toSpliced(last, 1), width);
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, (widths.length - 1) * GAP.length);
}

/** Nothing of it is wider than all there is; of a long text the end need not be looked at. */
function cell(text: string, width: number): string {
  return fitted(oneLine(text.slice(0, width * 16)), width);
}

function widthsOf<T>(columns: readonly Column<T>[], cells: readonly (readonly string[])[], width: number): number[] {
  const natural = columns.map(({ title }, index) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[index] ?? '')), widthOf(title)),
  );
  const over = sumOf(natural) - width;
  if (over <= 0) return natural;
  return natural.map((each, index) =>
    columns[index]?.gives ? Math.max(Math.min(each, LEAST_WIDTH), each - over) : each,
  );
}
