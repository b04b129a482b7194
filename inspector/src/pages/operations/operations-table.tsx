/** Operations with their rates, and their latencies on one logarithmic line. */

import type { VNode } from 'preact';
import type { Rates } from '../../../../src/domain/vitals.ts';
import { right, TableHead } from '../../components/table-head.tsx';
import { countText, millisecondsText, rateText } from './figures.ts';
import type { Vitals } from './answers.ts';

export const SORTS = ['count', 'p95', 'errors'] as const;

type Sort = (typeof SORTS)[number];

const WEIGHTS: Readonly<Record<Sort, (rates: Rates) => number>> = {
  count: ({ count }) => count,
  p95: ({ p95Ms }) => p95Ms ?? -1,
  errors: ({ errors }) => errors,
};

/** Ten times faster than the fastest is of no interest. */
const FASTEST_MS = 0.1;

interface OperationsTableProps {
  readonly vitals: Vitals;
  readonly span: 'recent' | 'total';
  readonly sort: Sort;
}

export function OperationsTable({ vitals, span, sort }: OperationsTableProps): VNode {
  const weight = WEIGHTS[sort];
  const rows = vitals.operations
    .map((one) => ({ operation: one.operation, ...one[span] }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => weight(b) - weight(a) || a.operation.localeCompare(b.operation));
  if (rows.length === 0) return <p class="quiet">Nothing was asked in this time.</p>;
  const slowest = Math.max(10, ...rows.map(({ p99Ms }) => p99Ms ?? 0));
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Operations, rates and latencies">
      <table class="table rates-table">
        <TableHead
          columns={[
            'Operation',
            ...['count', 'per second', 'errors', 'p50', 'p95', 'p99'].map(right),
            { name: <LatencyScale slowest={slowest} />, class: 'latency-cell' },
          ]}
        />
        <tbody>
          {rows.map((rates) => (
            <tr key={rates.operation}>
              <th scope="row">{rates.operation}</th>
              <td class="right numeric">{countText(rates.count)}</td>
              <td class="right numeric">{rateText(rates.perSecond)}</td>
              <td class={`right numeric${rates.errors > 0 ? ' is-bad' : ' quiet'}`}>{countText(rates.errors)}</td>
              <td class="right numeric">{millisecondsText(rates.p50Ms)}</td>
              <td class="right numeric">{millisecondsText(rates.p95Ms)}</td>
              <td class="right numeric">{millisecondsText(rates.p99Ms)}</td>
              <td class="latency-cell">
                <LatencyBar rates={rates} slowest={slowest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="table-note quiet">Bars run from p50 to p99 on a logarithmic scale; the mark is p95.</p>
    </div>
  );
}

/** From p50 to p99, with a mark at p95. The numbers stand beside it. */
function LatencyBar({ rates, slowest }: { readonly rates: Rates; readonly slowest: number }): VNode | null {
  const { p50Ms, p95Ms, p99Ms } = rates;
  if (p50Ms === undefined || p95Ms === undefined || p99Ms === undefined) return null;
  const at = (ms: number): number => {
    const share = Math.log(Math.max(ms, FASTEST_MS) / FASTEST_MS) / Math.log(slowest / FASTEST_MS);
    return Math.min(1, share) * 100;
  };
  const [from, to] = [Math.min(98.5, at(p50Ms)), at(p99Ms)];
  return (
    <div class="latency-bar" aria-hidden="true">
      <span class="latency-range" style={{ left: `${from}%`, width: `${Math.max(1.5, to - from)}%` }} />
      <span class="latency-mark" style={{ left: `${Math.min(99.2, at(p95Ms))}%` }} />
    </div>
  );
}

function LatencyScale({ slowest }: { readonly slowest: number }): VNode {
  return (
    <>
      {FASTEST_MS} ms <span class="latency-end">{millisecondsText(slowest)}</span>
    </>
  );
}
