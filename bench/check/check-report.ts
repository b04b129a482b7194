/** What the hot paths cost, beside what they did, as text. */

import { digits, textTable, times, whole } from '../text-table.ts';
import type { Baseline, Measure, PathFigures, Regression } from './baseline.ts';

const NAMES: Readonly<Record<Measure, string>> = {
  statements: 'SQL statements',
  rows: 'rows read',
  answerBytes: 'bytes of the answer',
  allocatedBytes: 'bytes allocated',
  time: 'CPU time',
};

const LEGEND = `Per call. SQL, rows, answer: counted. allocated: bytes. time: CPU, in thousandths of a fixed loop in the same process.`;

interface Row {
  readonly path: string;
  readonly is: PathFigures;
  readonly was: PathFigures | undefined;
}

function change(is: number, was: number | undefined): string {
  return was === undefined || was === 0 ? '-' : times(is / was);
}

export function checkReport(now: Baseline, baseline: Baseline | undefined): string {
  const rows = Object.entries(now.paths).map(([path, is]): Row => ({ path, is, was: baseline?.paths[path] }));
  const was = (cell: (figures: PathFigures) => string) => (row: Row) => (row.was ? cell(row.was) : '-');
  const table = textTable<Row>(
    [
      { title: 'path', cell: ({ path }) => path },
      { title: 'SQL', cell: ({ is }) => digits(is.statements) },
      { title: 'was', cell: was(({ statements }) => digits(statements)) },
      { title: 'rows', cell: ({ is }) => digits(is.rows) },
      { title: 'was', cell: was(({ rows: read }) => digits(read)) },
      { title: 'answer', cell: ({ is }) => whole(is.answerBytes) },
      { title: 'was', cell: was(({ answerBytes }) => whole(answerBytes)) },
      { title: 'allocated', cell: ({ is }) => whole(is.allocatedBytes) },
      { title: 'was', cell: was(({ allocatedBytes }) => whole(allocatedBytes)) },
      { title: 'time', cell: ({ is }) => digits(is.time * 1000) },
      { title: 'was', cell: was(({ time }) => digits(time * 1000)) },
      { title: 'is/was', cell: (row) => change(row.is.time, row.was?.time) },
    ],
    rows,
  );
  return `${table}\n\n${LEGEND}`;
}

export function regressionReport(regressions: readonly Regression[]): string {
  return regressions
    .map(({ path, measure, was, is, most }) => {
      const [before, after, limit] = [was, is, most].map((value) => digits(measure === 'time' ? value * 1000 : value));
      return `WORSE: ${path}: ${NAMES[measure]} ${after}, was ${before}; at most ${limit}.`;
    })
    .join('\n');
}
