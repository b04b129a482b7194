/** A list of which only the visible rows exist. Rows are of one height, so any length scrolls alike. */

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  /** In pixels. */
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  /** Told which rows are about to be seen, so that they can be loaded. */
  readonly onRange?: (start: number, end: number) => void;
  /** This one is brought into view when it changes. */
  readonly activeIndex?: number | undefined;
}

const OVERSCAN = 8;

export function VirtualList({ label, count, rowHeight, row, onRange, activeIndex }: VirtualListProps): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const [virtualizer] = useState(
    () =>
      new Virtualizer<HTMLDivElement, HTMLElement>({
        count,
        getScrollElement: () => scroller.current,
        estimateSize: () => rowHeight,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
        overscan: OVERSCAN,
        onChange: () => redraw((turn) => turn + 1),
      }),
  );
  virtualizer.setOptions({ ...virtualizer.options, count, estimateSize: () => rowHeight });
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useEffect(() => virtualizer.measure(), [rowHeight]);
  useEffect(() => {
    if (activeIndex !== undefined) virtualizer.scrollToIndex(activeIndex, { align: 'auto' });
  }, [activeIndex]);

  const items = virtualizer.getVirtualItems();
  const [start, end] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => onRange?.(start, end), [start, end, count]);
  return (
    <div class="virtual-list" ref={scroller} tabIndex={0} role="group" aria-label={label}>
      <ul class="virtual-rows" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {items.map(({ index, start: top }) => (
          <li
            class="virtual-row"
            key={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ height: `${rowHeight}px`, transform: `translateY(${top}px)` }}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </div>
  );
}
