/** Requests and failures per second, from answer to answer. */

import type { VNode } from 'preact';
import { rateText } from './figures.ts';
import { roundUp } from './growth-chart.tsx';
import { useWidth } from '../../components/use-width.ts';

/** What had been counted when the service was so many seconds old. */
export interface Sample {
  readonly seconds: number;
  readonly count: number;
  readonly errors: number;
}

const [HEIGHT, LEFT, TOP, BOTTOM] = [110, 44, 10, 20];
/** So much time is shown at least: the line grows from the right. */
const SPAN_SECONDS = 120;

interface Rate {
  readonly seconds: number;
  readonly requests: number;
  readonly errors: number;
}

function ratesOf(samples: readonly Sample[]): Rate[] {
  return samples.slice(1).map((sample, at) => {
    const before = samples[at] ?? sample;
    const passed = Math.max(0.001, sample.seconds - before.seconds);
    return {
      seconds: sample.seconds,
      requests: (sample.count - before.count) / passed,
      errors: (sample.errors - before.errors) / passed,
    };
  });
}

export function RateChart({ samples }: { readonly samples: readonly Sample[] }): VNode {
  const [ref, width] = useWidth<HTMLDivElement>();
  return (
    <div class="rate-chart" ref={ref}>
      {width > 0 && <Lines rates={ratesOf(samples)} width={width} />}
    </div>
  );
}

function Lines({ rates, width }: { readonly rates: readonly Rate[]; readonly width: number }): VNode {
  const last = rates.at(-1);
  const top = roundUp(Math.max(1, ...rates.map(({ requests }) => requests)));
  const end = last?.seconds ?? 0;
  const start = Math.min(rates[0]?.seconds ?? 0, end - SPAN_SECONDS);
  const x = (seconds: number): number => LEFT + ((seconds - start) / (end - start)) * (width - LEFT - 4);
  const y = (rate: number): number => TOP + (1 - rate / top) * (HEIGHT - TOP - BOTTOM);
  const line = (name: 'requests' | 'errors'): string =>
    rates.map((rate) => `${x(rate.seconds).toFixed(1)},${y(rate[name]).toFixed(1)}`).join(' ');
  const label =
    last === undefined
      ? 'Counting has begun'
      : `${rateText(last.requests)} requests per second now, ${rateText(last.errors)} of them failed`;
  return (
    <svg class="chart-plain" width={width} height={HEIGHT} role="img" aria-label={label}>
      {[0, top].map((value) => (
        <g key={value}>
          <line class="chart-grid" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 8} y={y(value) + 4} text-anchor="end">
            {rateText(value)}
          </text>
        </g>
      ))}
      <polyline class="chart-line" points={line('requests')} />
      <polyline class="chart-line chart-errors" points={line('errors')} />
      {last !== undefined && <circle class="chart-now" cx={x(last.seconds)} cy={y(last.requests)} r="3" />}
      <text x={width} y={HEIGHT - 4} text-anchor="end">
        now
      </text>
      <text x={LEFT} y={HEIGHT - 4}>
        {Math.round((end - start) / 60)} min ago
      </text>
    </svg>
  );
}
