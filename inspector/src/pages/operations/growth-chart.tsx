/** What was created and deleted, day by day: up and down from one line. */

import type { VNode } from 'preact';
import { dayOf } from '../../components/time.tsx';
import { countText } from './figures.ts';
import type { Stats } from './answers.ts';
import { useWidth } from '../../components/use-width.ts';

type Growth = Stats['growth'];

const [HEIGHT, LEFT, TOP, BOTTOM] = [180, 44, 10, 22];
const MIN_BAR = 2;

const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** A round number that is not less. */
export function roundUp(value: number): number {
  if (value <= 2) return Math.max(1, Math.ceil(value));
  const power = 10 ** Math.floor(Math.log10(value));
  return (STEPS.find((step) => step * power >= value) ?? 10) * power;
}

/** Noon, so that it is the same day in most zones; what is counted is a day of UTC. */
function dayText(day: string): string {
  return dayOf(`${day}T12:00:00Z`);
}

function labelOf(growth: Growth): string {
  const busiest = growth.reduce<Growth[number] | undefined>(
    (best, day) => (best === undefined || day.created > best.created ? day : best),
    undefined,
  );
  if (busiest === undefined || busiest.created === 0) return 'Nothing was created in this time';
  const sum = (name: 'created' | 'deleted'): string => countText(growth.reduce((all, day) => all + day[name], 0));
  return `${sum('created')} created and ${sum('deleted')} deleted; most on ${dayText(busiest.day)}, ${countText(busiest.created)}`;
}

export function GrowthChart({ growth }: { readonly growth: Growth }): VNode {
  const [ref, width] = useWidth<HTMLDivElement>();
  return (
    <div class="growth-chart" ref={ref}>
      {width > 0 && <Bars growth={growth} width={width} />}
    </div>
  );
}

function Bars({ growth, width }: { readonly growth: Growth; readonly width: number }): VNode {
  const up = roundUp(Math.max(...growth.map(({ created }) => created)));
  const most = Math.max(...growth.map(({ deleted }) => deleted));
  const down = most === 0 ? 0 : Math.min(up, roundUp(most));
  const inner = HEIGHT - TOP - BOTTOM;
  const zero = TOP + (inner * up) / (up + down);
  const scale = inner / (up + down);
  const step = (width - LEFT) / growth.length;
  const bar = Math.max(1, step > 6 ? step - 2 : step - 0.5);
  const tall = (count: number): number => (count === 0 ? 0 : Math.max(MIN_BAR, count * scale));
  const [first, last] = [growth[0], growth.at(-1)];
  return (
    <svg class="chart-plain" width={width} height={HEIGHT} role="img" aria-label={labelOf(growth)}>
      {[up, up / 2, 0].map((value) => (
        <g key={value}>
          <line class="chart-grid" x1={LEFT} x2={width} y1={zero - value * scale} y2={zero - value * scale} />
          {Number.isInteger(value) && (
            <text x={LEFT - 8} y={zero - value * scale + 4} text-anchor="end">
              {countText(value)}
            </text>
          )}
        </g>
      ))}
      {growth.map(({ day, created, deleted }, at) => (
        <g key={day} class="growth-day">
          <rect class="growth-hit" x={LEFT + at * step} y={TOP} width={step} height={inner} />
          <rect
            class="growth-created"
            x={LEFT + at * step}
            y={zero - tall(created)}
            width={bar}
            height={tall(created)}
            rx="1"
          />
          <rect class="growth-deleted" x={LEFT + at * step} y={zero} width={bar} height={tall(deleted)} rx="1" />
          <title>{`${dayText(day)}: ${countText(created)} created, ${countText(deleted)} deleted`}</title>
        </g>
      ))}
      {first !== undefined && last !== undefined && (
        <>
          <text x={LEFT} y={HEIGHT - 5}>
            {dayText(first.day)}
          </text>
          <text x={width} y={HEIGHT - 5} text-anchor="end">
            {dayText(last.day)}
          </text>
        </>
      )}
    </svg>
  );
}
