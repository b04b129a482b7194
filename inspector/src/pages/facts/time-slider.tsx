/** What held when: a slider over the span of all that is known, with what changed drawn above it. */

import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { useKeys } from '../../app/keyboard.ts';
import { dayOf, exactTime } from '../../components/time.tsx';

interface TimeSliderProps {
  /** Moments at which something began or ceased to hold, in order. */
  readonly changes: readonly number[];
  readonly at: number;
  /** Whether that is the present, which moves. */
  readonly isNow: boolean;
  /** Undefined is the present. */
  readonly onChange: (at: number | undefined) => void;
}

const BINS = 80;
const STEPS = 400;

export function TimeSlider({ changes, at, isNow, onChange }: TimeSliderProps): VNode {
  const now = Date.now();
  const start = changes[0] ?? now;
  const end = Math.max(now, changes.at(-1) ?? now);
  const [earlier, later] = [changes.findLast((moment) => moment < at), changes.find((moment) => moment > at)];
  const toEarlier = (): void => {
    if (earlier !== undefined) onChange(earlier);
  };
  const toLater = (): void => onChange(later);
  useKeys('Time', [
    { keys: ['['], help: 'The change before', run: toEarlier },
    { keys: [']'], help: 'The change after', run: toLater },
    { keys: ['n'], help: 'Now', run: () => onChange(undefined) },
  ]);
  return (
    <div class="time-slider">
      <div class="time-slider-text">
        <b>{isNow ? 'Now' : exactTime(at)}</b>
        <span class="quiet">
          {dayOf(start)} – {end > now ? dayOf(end) : 'today'}
        </span>
      </div>
      <button
        type="button"
        class="button button-small"
        title="The change before ([)"
        aria-label="The change before"
        disabled={earlier === undefined}
        onClick={toEarlier}
      >
        ‹
      </button>
      <div class="time-slider-track">
        <Histogram changes={changes} start={start} end={end} />
        <input
          type="range"
          aria-label="As of"
          aria-valuetext={isNow ? 'now' : exactTime(at)}
          min={start}
          max={end}
          step={Math.max(1, Math.round((end - start) / STEPS))}
          value={Math.min(end, Math.max(start, at))}
          onInput={({ currentTarget }) => {
            const value = Number(currentTarget.value);
            // The last step is the present.
            onChange(Math.abs(value - now) <= (end - start) / STEPS ? undefined : value);
          }}
        />
      </div>
      <button
        type="button"
        class="button button-small"
        title="The change after (])"
        aria-label="The change after"
        disabled={isNow}
        onClick={toLater}
      >
        ›
      </button>
      <button type="button" class="button button-small" disabled={isNow} title="n" onClick={() => onChange(undefined)}>
        Now
      </button>
    </div>
  );
}

function Histogram({
  changes,
  start,
  end,
}: Pick<TimeSliderProps, 'changes'> & { readonly start: number; readonly end: number }): VNode {
  const bins = useMemo(() => {
    const counts = Array.from({ length: BINS }, () => 0);
    for (const moment of changes) {
      const bin = Math.min(BINS - 1, Math.floor(((moment - start) / Math.max(1, end - start)) * BINS));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    return counts;
  }, [changes, start]);
  const most = Math.max(1, ...bins);
  return (
    <svg class="time-slider-bars" viewBox={`0 0 ${BINS} 1`} preserveAspectRatio="none" aria-hidden="true">
      {bins.map((count, at) =>
        count === 0 ? null : (
          <rect
            key={at}
            x={at + 0.1}
            width={0.8}
            y={1 - Math.max(0.12, count / most)}
            height={Math.max(0.12, count / most)}
          />
        ),
      )}
    </svg>
  );
}
