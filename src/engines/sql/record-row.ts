/** Records as rows and back: JSON as text, times as milliseconds, what is absent as null. */

import type { Recorded } from '../../ports/record-store.ts';
import { columnEntries, columnOf, type ColumnType, type RecordTable } from './record-table.ts';

/** How an engine binds and gives a boolean is its own business: SQLite knows 0 and 1. */
export type Cell = string | number | boolean | null;

export function cellOf(type: ColumnType, value: unknown): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'json':
      return JSON.stringify(value);
    case 'time':
      return Date.parse(value as string);
    case 'boolean':
    case 'integer':
    case 'text':
      return value as string | number | boolean;
  }
}

function valueOf(type: ColumnType, cell: string | number | boolean): unknown {
  switch (type) {
    case 'json':
      return JSON.parse(String(cell));
    case 'time':
      return new Date(Number(cell)).toISOString();
    case 'boolean':
      return Boolean(cell);
    case 'integer':
    case 'text':
      return cell;
  }
}

/** Trusts the row: everything in it was validated before it was written. */
export function recordOf<R extends Recorded>(table: RecordTable<R>, row: Readonly<Record<string, Cell>>): R {
  const record: Record<string, unknown> = {};
  for (const [field, type] of columnEntries(table)) {
    const cell = row[columnOf(field)] ?? null;
    if (cell !== null) record[field] = valueOf(type, cell);
  }
  return record as unknown as R;
}
