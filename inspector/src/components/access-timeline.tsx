/** When a memory was read: a dot for each time that is kept, from the first of them until now. */

import type { VNode } from 'preact';
import { Chart } from './chart.tsx';
import { dayOf, exactTime, Time } from './time.tsx';

const [LINE, RADIUS, MAX_STACKED] = [44, 4, 4];

/** So that the first and the last are whole. */
const MARGIN = RADIUS + 2;

interface AccessTimelineProps {
  /** Newest first. */
  readonly times: readonly string[];
  /** Of all, also of those whose time is not kept. */
  readonly count: number;
  readonly now: string;
}

export function AccessTimeline({ times, count, now }: AccessTimelineProps): VNode | null {
  const first = times.at(-1);
  if (first === undefined) return null;
  const hidden = count - times.length;
  return (
    <div class="accesses">
      <Chart
        height={LINE + 22}
        label={`Read ${times.length} ${times.length === 1 ? 'time' : 'times'} since ${dayOf(first)}`}
      >
        {(width) => (
          <>
            <line class="chart-grid" x1="0" x2={width} y1={LINE} y2={LINE} />
            {dotsOf(times, Date.parse(now), width).map(({ at, x, y }, index) => (
              <circle class="chart-dot" cx={x} cy={y} r={RADIUS} key={index}>
                <title>{exactTime(at)}</title>
              </circle>
            ))}
            <text x="0" y={LINE + 16}>
              {dayOf(first)}
            </text>
            <text x={width} y={LINE + 16} text-anchor="end">
              now
            </text>
          </>
        )}
      </Chart>
      <details>
        <summary>{hidden > 0 ? `The last ${times.length} times` : 'Each time'}</summary>
        <ol class="access-times" aria-label="When it was read, newest first">
          {times.map((at, index) => (
            <li key={index}>
              {exactTime(at)} <Time at={at} />
            </li>
          ))}
        </ol>
      </details>
    </div>
  );
}

interface Dot {
  readonly at: string;
  readonly x: number;
  readonly y: number;
}

/** Those that would lie over each other are stacked. */
function dotsOf(times: readonly string[], now: number, width: number): Dot[] {
  const start = Date.parse(times.at(-1) ?? '');
  const span = Math.max(1, now - start);
  const dots: Dot[] = [];
  for (const at of times.toReversed()) {
    const x = MARGIN + Math.min(1, (Date.parse(at) - start) / span) * (width - 2 * MARGIN);
    const below = dots.filter((dot) => Math.abs(dot.x - x) < 2 * RADIUS).length;
    dots.push({ at, x, y: LINE - RADIUS - 1 - (below % MAX_STACKED) * 2 * RADIUS });
  }
  return dots;
}
