/** Where the documentation keeps the latest run: a plot, and tables between two marks. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { growthReport, shortCount } from './growth-report.ts';
import { logLogPlot, type Point } from './log-log-plot.ts';
import type { Growth, GrowthRow } from './measure-growth.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const BEGIN = '<!-- growth: written by npm run bench:growth -->';
const END = '<!-- growth: end -->';

function pointsOf({ sizes }: GrowthRow, percentile: 'p50' | 'p95'): Point[] {
  return sizes.flatMap(({ entries, [percentile]: y }) => (y === null ? [] : [{ x: entries, y }]));
}

export function growthPlot({ rows }: Growth): string {
  return logLogPlot({
    title: 'Milliseconds per call as a tenant grows: median, and 95th percentile (dashed)',
    xTitle: 'entries in the tenant',
    yTitle: 'milliseconds',
    xTick: shortCount,
    yTick: (value) => String(Number(value.toPrecision(1))),
    series: rows.map((row) => ({
      name: row.isScoped ? row.operation : `${row.operation} *`,
      points: pointsOf(row, 'p50'),
      bounds: pointsOf(row, 'p95'),
    })),
  });
}

/** Replaces the plot and what stands between the marks. Throws where those are gone. */
export function writeGrowthDocs(heading: string, growth: Growth): void {
  const page = join(DOCS, 'benchmarks.md');
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${page} has no place for the tables: ${BEGIN} … ${END}.`);
  const tables = `${BEGIN}\n\n\`\`\`\n${heading}\n\n${growthReport(growth)}\n\`\`\`\n\n`;
  writeFileSync(page, text.slice(0, begin) + tables + text.slice(end));
  writeFileSync(join(DOCS, 'growth.svg'), growthPlot(growth));
}
