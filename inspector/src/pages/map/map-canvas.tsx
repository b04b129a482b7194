/** The points to look around among: point at one to read it, press it to open it, draw around some to choose them. */

import type { RefObject, VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { LayerBadge, KindBadge } from '../../components/badges.tsx';
import { CanvasStage, type Stage } from '../../components/canvas-stage.tsx';
import type { Grab } from '../../components/canvas-pointers.ts';
import { useColours } from '../../components/canvas-colours.ts';
import { Time } from '../../components/time.tsx';
import { boundsOf, toScreen, type Point } from '../../components/view-transform.ts';
import { drawMap } from './draw-map.ts';
import type { Area, Colouring, MapPoint } from './map-points.ts';
import { topicsOf } from './map-topics.ts';

interface MapCanvasProps {
  readonly stage: RefObject<Stage | null>;
  readonly label: string;
  /** All of them: the view stays the same whatever is filtered. */
  readonly all: readonly MapPoint[];
  readonly shown: ReadonlySet<MapPoint>;
  readonly colouring: Colouring;
  readonly area: Area | undefined;
  readonly selected: string | undefined;
  /** A drag draws an area, instead of moving the view. */
  readonly isLasso: boolean;
  readonly onArea: (area: Area) => void;
  readonly onOpen: (id: string) => void;
}

const REACH_PX = 9;
const TIP_WIDTH = 300;

export function MapCanvas(props: MapCanvasProps): VNode {
  const { stage, label, all, shown, colouring, area, selected, isLasso, onArea, onOpen } = props;
  const [hovered, setHovered] = useState<MapPoint | undefined>(undefined);
  const drawn = useRef<Point[] | undefined>(undefined);
  const colourOf = useColours();
  const topics = useMemo(() => topicsOf(all), [all]);

  const pointAt = (at: Point): MapPoint | undefined => {
    let best: MapPoint | undefined;
    let distance = REACH_PX / (stage.current?.view.scale ?? 1);
    for (const point of shown) {
      const away = Math.hypot(point.x - at.x, point.y - at.y);
      if (away < distance) [best, distance] = [point, away];
    }
    return best;
  };
  const lasso = (at: Point): Grab => {
    const corners = [at];
    return {
      move: (next) => {
        corners.push(next);
        drawn.current = corners;
        stage.current?.redraw();
      },
      end: () => {
        drawn.current = undefined;
        if (corners.length > 3) onArea(corners);
      },
    };
  };
  return (
    <CanvasStage
      label={label}
      stage={stage}
      bounds={() => boundsOf(all)}
      draw={(context, view, size) =>
        drawMap(
          context,
          { all, shown, colouring, selected, hovered, area: drawn.current ?? area, topics },
          colourOf,
          view,
          size,
        )
      }
      {...(isLasso && { grab: lasso })}
      onHover={(at) => setHovered(at && pointAt(at))}
      onPress={(at) => {
        const point = pointAt(at);
        if (point !== undefined) onOpen(point.id);
      }}
    >
      {hovered !== undefined && stage.current !== null && <Tip point={hovered} stage={stage.current} />}
    </CanvasStage>
  );
}

function Tip({ point, stage: { view, size } }: { readonly point: MapPoint; readonly stage: Stage }): VNode {
  const { x, y } = toScreen(view, point);
  const left = Math.max(8, Math.min(size.width - TIP_WIDTH - 8, x - TIP_WIDTH / 2));
  const isBelow = y < 110;
  return (
    <div
      class={isBelow ? 'map-tip' : 'map-tip map-tip-above'}
      style={{ left: `${left}px`, top: `${y + (isBelow ? 14 : -14)}px`, width: `${TIP_WIDTH}px` }}
    >
      <p>{point.label}</p>
      <p class="meta-row">
        <LayerBadge layer={point.layer} />
        <KindBadge kind={point.kind} />
        <Time at={point.createdAt} />
      </p>
    </div>
  );
}
