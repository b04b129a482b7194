/** Relevance over time: a line up to now, a lighter one for what is to come, and where it would be archived. */

import type { VNode } from 'preact';
import type { OperationOutput } from '../../../src/operations/table.ts';
import { Chart } from './chart.tsx';
import { dayOf } from './time.tsx';

type Decay = OperationOutput<'decay'>;

const [HEIGHT, LEFT, BOTTOM, TOP] = [170, 34, 22, 8];

export function DecayCurve({ decay }: { readonly decay: Decay }): VNode {
  const label =
    `Relevance from ${decay.relevance.toFixed(2)} on ${dayOf(decay.points[0]?.at ?? decay.now)}, ` +
    `${decay.currentRelevance.toFixed(2)} now, ` +
    `${(decay.points.at(-1)?.relevance ?? 0).toFixed(2)} on ${dayOf(decay.points.at(-1)?.at ?? decay.now)}`;
  return (
    <Chart height={HEIGHT} label={label}>
      {(width) => <Curve decay={decay} width={width} />}
    </Chart>
  );
}

function Curve({ decay, width }: { readonly decay: Decay; readonly width: number }): VNode {
  const times = decay.points.map(({ at }) => Date.parse(at));
  const [first, last, now] = [Math.min(...times), Math.max(...times), Date.parse(decay.now)];
  const x = (at: number): number => LEFT + ((at - first) / Math.max(1, last - first)) * (width - LEFT);
  const y = (relevance: number): number => TOP + (1 - relevance) * (HEIGHT - TOP - BOTTOM);
  const line = (from: number, to: number): string =>
    decay.points
      .filter(({ at }) => Date.parse(at) >= from && Date.parse(at) <= to)
      .map(({ at, relevance }) => `${x(Date.parse(at)).toFixed(1)},${y(relevance).toFixed(1)}`)
      .join(' ');
  const threshold = y(decay.archiveThreshold);
  return (
    <>
      {[0, 0.5, 1].map((value) => (
        <g key={value}>
          <line class="chart-grid" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
            {value}
          </text>
        </g>
      ))}
      <line class="chart-threshold" x1={LEFT} x2={width} y1={threshold} y2={threshold} />
      <text x={LEFT + 6} y={threshold - 4}>
        archived below {decay.archiveThreshold}
      </text>
      <polyline class="chart-line" points={line(first, now)} />
      <polyline class="chart-line chart-future" points={line(now, last)} />
      <circle class="chart-now" cx={x(now)} cy={y(decay.currentRelevance)} r="3.5" />
      <text x={LEFT} y={HEIGHT - 5}>
        {dayOf(first)}
      </text>
      {x(now) > LEFT + 90 && x(now) < width - 130 && (
        <text x={x(now)} y={HEIGHT - 5} text-anchor="middle">
          now
        </text>
      )}
      <text x={width} y={HEIGHT - 5} text-anchor="end">
        {dayOf(last)}
      </text>
    </>
  );
}
