/** The figures over HTTP as text. */

import { digits, textTable, whole, type Column } from '../text-table.ts';
import type { HttpComparison } from './measure-http.ts';

const percent = (share: number): string => `${Math.round(share * 100)}%`;

const COLUMNS: readonly Column<HttpComparison>[] = [
  { title: 'over HTTP', cell: ({ operation }) => operation },
  { title: 'bytes', cell: ({ answerBytes }) => whole(answerBytes) },
  { title: 'per s', cell: ({ lamina }) => whole(lamina.perSecond) },
  { title: 'bare', cell: ({ bytes }) => whole(bytes.perSecond) },
  { title: 'SQL', cell: ({ reads, sql }) => (reads ? whole(sql.perSecond) : '') },
  { title: 'library', cell: ({ library }) => whole(library.perSecond) },
  { title: 'p50 ms', cell: ({ lamina }) => digits(lamina.p50) },
  { title: 'p99 ms', cell: ({ lamina }) => digits(lamina.p99) },
  { title: 'CPU µs', cell: ({ lamina }) => digits(lamina.cpuMicroseconds) },
  { title: 'bare', cell: ({ bytes }) => digits(bytes.cpuMicroseconds) },
  { title: 'SQL', cell: ({ reads, sql }) => (reads ? digits(sql.cpuMicroseconds) : '') },
  { title: 'library', cell: ({ library }) => digits(library.cpuMicroseconds) },
  { title: 'loop p99 ms', cell: ({ lamina }) => digits(lamina.loopDelayP99Ms) },
  { title: 'of bare', cell: ({ share }) => percent(share.bytes) },
  { title: 'of SQL', cell: ({ reads, share }) => (reads ? percent(share.sql) : '') },
  { title: 'of library', cell: ({ share }) => percent(share.library) },
  { title: 'target', cell: ({ target }) => percent(target) },
];

const LEGEND = `bare: Fastify with a route that returns the same bytes and does nothing. SQL: with one that runs the SQL of that request before
it returns them, and makes nothing of the rows. library: with one that asks the embedded library and returns its output.
32 connections, one request each under way. CPU: of the server, per answer. target: of bare for working memory, of SQL for the others.`;

export function httpReport(rows: readonly HttpComparison[]): string {
  return `${textTable(COLUMNS, rows)}\n\n${LEGEND}`;
}
