/** A small chart as wide as there is room, drawn in pixels, so that its letters keep their size. */

import type { ComponentChildren, VNode } from 'preact';
import { useWidth } from './use-width.ts';

interface ChartProps {
  readonly height: number;
  readonly label: string;
  readonly children: (width: number) => ComponentChildren;
}

export function Chart({ height, label, children }: ChartProps): VNode {
  const [ref, width] = useWidth<HTMLDivElement>();
  return (
    <div class="chart" style={{ height: `${height}px` }} ref={ref}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          {children(width)}
        </svg>
      )}
    </div>
  );
}
