/** What is on the map, or in the area that was drawn, as a list. */

import type { VNode } from 'preact';
import { hrefWith, queryOf } from '../../app/location.ts';
import { KindBadge, LayerBadge } from '../../components/badges.tsx';
import { Time } from '../../components/time.tsx';
import { VirtualList } from '../../components/virtual-list.tsx';
import type { MapPoint } from './map-points.ts';

const ROW_HEIGHT = 76;

export function MapList({ points }: { readonly points: readonly MapPoint[] }): VNode {
  const selected = queryOf('entry');
  return (
    <VirtualList
      label="Memories on the map"
      count={points.length}
      rowHeight={ROW_HEIGHT}
      row={(index) => {
        const point = points[index];
        if (point === undefined) return null;
        return (
          <a
            class="map-row"
            href={hrefWith({ entry: point.id })}
            {...(point.id === selected && { 'aria-current': 'true' })}
          >
            <span class="map-row-text">{point.label}</span>
            <span class="meta-row">
              <LayerBadge layer={point.layer} />
              <KindBadge kind={point.kind} />
              <Time at={point.createdAt} />
            </span>
          </a>
        );
      }}
    />
  );
}
