/** How a command shows things to people: paint, width and the time that it is. */

import type { Given } from '../command.ts';
import { relativeTime } from './relative-time.ts';
import type { Paint } from './style.ts';
import { paintOn } from './style.ts';
import { columnsOn, textTable, type Column } from './text-table.ts';

export interface View {
  readonly paint: Paint;
  readonly width: number;
  /** "3 h ago"; a dash for no time. */
  ago(time: string | undefined): string;
  table<T>(rows: readonly T[], columns: readonly Column<T>[]): string[];
}

export function viewOf({ terminal }: Given): View {
  const paint = paintOn(terminal);
  const width = columnsOn(terminal);
  const now = Date.now();
  return {
    paint,
    width,
    ago: (time) => (time === undefined ? '–' : relativeTime(time, now)),
    table: (rows, columns) => textTable(rows, columns, width, paint),
  };
}
