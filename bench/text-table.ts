/** Tables of plain text, and numbers as they stand in them. */

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
}

/** The first column to the left, the others to the right. */
export function textTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ cell }) => cell(row)))];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((cells) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))),
  );
  text.splice(
    1,
    0,
    widths.map((width) => '-'.repeat(width)),
  );
  return text.map((cells) => cells.join('  ')).join('\n');
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Three significant digits, without an exponent. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (value >= 100) return whole(value);
  return value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : value >= 0.1 ? 3 : 4);
}

export function times(value: number): string {
  return `${value.toFixed(2)}×`;
}

export function mebibytes(bytes: number): string {
  return `${whole(bytes / 2 ** 20)} MiB`;
}
