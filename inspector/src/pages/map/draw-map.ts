/** Draws the points, those that are filtered out faintly, and the area around what was chosen. */

import type { ColourOf } from '../../components/canvas-colours.ts';
import { createLabels } from '../../components/canvas-labels.ts';
import { toScreen, type Size, type View } from '../../components/view-transform.ts';
import { groupOf, tokenOf, type Area, type Colouring, type MapPoint } from './map-points.ts';
import type { MapTopic } from './map-topics.ts';

export interface MapLook {
  readonly all: readonly MapPoint[];
  readonly shown: ReadonlySet<MapPoint>;
  readonly colouring: Colouring;
  readonly selected: string | undefined;
  readonly hovered: MapPoint | undefined;
  readonly area: Area | undefined;
  readonly topics: readonly MapTopic[];
}

/** Circles up to so many, squares beyond: those are drawn much faster. */
const MAX_CIRCLES = 6000;

export function drawMap(
  context: CanvasRenderingContext2D,
  { all, shown, colouring, selected, hovered, area, topics }: MapLook,
  colourOf: ColourOf,
  view: View,
  size: Size,
): void {
  const radius = radiusFor(all.length, view, size);
  const isRound = all.length <= MAX_CIRCLES;
  // Each with a thin border, so that they can be told apart where they crowd.
  context.strokeStyle = colourOf('--surface');
  context.lineWidth = 0.8;
  const draw = (points: Iterable<MapPoint>, colour: string, alpha: number): void => {
    context.fillStyle = colour;
    context.globalAlpha = alpha;
    drawPoints(context, points, { view, size, radius, isRound });
    context.globalAlpha = 1;
  };
  if (shown.size < all.length) {
    draw(
      all.filter((point) => !shown.has(point)),
      colourOf('--text-quiet'),
      0.16,
    );
  }
  const groups = Map.groupBy(shown, (point) => groupOf(point, colouring));
  for (const [group, points] of groups) draw(points, colourOf(tokenOf(colouring, group)), isRound ? 0.9 : 0.7);
  if (area !== undefined) drawArea(context, area, colourOf, view);
  const labels = createLabels(context, colourOf, size);
  for (const topic of topics) {
    const { x, y } = toScreen(view, topic);
    labels.above(topic.text, { x, y: y - radius - 2 });
  }
  const rings = [hovered, all.find(({ id }) => id === selected)];
  for (const point of rings) if (point !== undefined) drawRing(context, point, radius + 4, colourOf, view);
}

/** Fewer points are larger, and they grow a little when one comes nearer. */
function radiusFor(count: number, { scale }: View, { width, height }: Size): number {
  const crowd = Math.min(6, Math.max(1.4, 70 / Math.sqrt(count + 10)));
  return crowd * Math.min(2.2, Math.max(0.8, Math.sqrt((2 * scale) / Math.max(1, Math.min(width, height)))));
}

interface PointStyle {
  readonly view: View;
  readonly size: Size;
  readonly radius: number;
  readonly isRound: boolean;
}

function drawPoints(
  context: CanvasRenderingContext2D,
  points: Iterable<MapPoint>,
  { view, size, radius, isRound }: PointStyle,
): void {
  for (const point of points) {
    const { x, y } = toScreen(view, point);
    if (x < -radius || y < -radius || x > size.width + radius || y > size.height + radius) continue;
    if (!isRound) {
      context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      continue;
    }
    context.beginPath();
    context.arc(x, y, radius, 0, Math.PI * 2);
    context.fill();
    context.stroke();
  }
}

function drawArea(context: CanvasRenderingContext2D, area: Area, colourOf: ColourOf, view: View): void {
  context.beginPath();
  for (const corner of area) {
    const { x, y } = toScreen(view, corner);
    context.lineTo(x, y);
  }
  context.closePath();
  context.fillStyle = context.strokeStyle = colourOf('--accent');
  context.globalAlpha = 0.08;
  context.fill();
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.stroke();
  context.setLineDash([]);
}

function drawRing(
  context: CanvasRenderingContext2D,
  point: MapPoint,
  radius: number,
  colourOf: ColourOf,
  view: View,
): void {
  const { x, y } = toScreen(view, point);
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  context.lineWidth = 2.5;
  context.strokeStyle = colourOf('--text');
  context.stroke();
}
