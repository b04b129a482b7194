/** Draws the points, those that are filtered out faintly, and the area around what was chosen. */

import type { ColourOf } from '../../components/canvas-colours.ts';
import { createLabels } from '../../components/canvas-labels.ts';
import { toScreen, type Size, type View } from '../../components/view-transform.ts';
import { drawCrowd } from './draw-crowd.ts';
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

/** Circles up to so many, pixels beyond. */
const MAX_CIRCLES = 6000;
const CLEAR = 0.9;
/** What is filtered out. */
const FAINT = 0.16;

export function drawMap(
  context: CanvasRenderingContext2D,
  { all, shown, colouring, selected, hovered, area, topics }: MapLook,
  colourOf: ColourOf,
  view: View,
  size: Size,
): void {
  const radius = radiusFor(all.length, view, size);
  const others = shown.size < all.length ? all.filter((point) => !shown.has(point)) : [];
  const faint = { colour: colourOf('--text-quiet'), alpha: FAINT };
  const styleOf = (point: MapPoint): PointStyle =>
    shown.has(point) ? { colour: colourOf(tokenOf(colouring, groupOf(point, colouring))), alpha: CLEAR } : faint;
  if (all.length > MAX_CIRCLES) drawCrowd(context, [...others, ...shown], styleOf, { view, radius });
  else drawCircles(context, [...others, ...shown], styleOf, { view, radius, border: colourOf('--surface') });
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
  readonly colour: string;
  readonly alpha: number;
}

/** Each with a thin border, so that they can be told apart where they crowd. */
function drawCircles(
  context: CanvasRenderingContext2D,
  points: readonly MapPoint[],
  styleOf: (point: MapPoint) => PointStyle,
  { view, radius, border }: { readonly view: View; readonly radius: number; readonly border: string },
): void {
  context.strokeStyle = border;
  context.lineWidth = 0.8;
  for (const point of points) {
    const { x, y } = toScreen(view, point);
    const { colour, alpha } = styleOf(point);
    context.fillStyle = colour;
    context.globalAlpha = alpha;
    context.beginPath();
    context.arc(x, y, radius, 0, Math.PI * 2);
    context.fill();
    context.stroke();
  }
  context.globalAlpha = 1;
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
