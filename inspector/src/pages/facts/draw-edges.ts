/** Draws the edges of the graph: lines, arrows, and what they say. */

import type { ColourOf } from '../../components/canvas-colours.ts';
import type { Labels } from '../../components/canvas-labels.ts';
import { seen, toScreen, type Point, type Size, type View } from '../../components/view-transform.ts';
import { holdsAt, type FactEdge } from './fact-graph.ts';
import { sizeOf } from './node-size.ts';

/** With more edges in view than this, arrows would hide them. */
export const MAX_ARROWS = 400;

/** Those of which something may be seen. */
export function inView(edges: readonly FactEdge[], view: View, size: Size): FactEdge[] {
  const { left, top, right, bottom } = seen(view, size);
  return edges.filter(
    ({ source, target }) =>
      Math.max(source.x, target.x) > left &&
      Math.min(source.x, target.x) < right &&
      Math.max(source.y, target.y) > top &&
      Math.min(source.y, target.y) < bottom,
  );
}

interface EdgeStyle {
  readonly view: View;
  readonly isFaded: boolean;
  readonly withArrows: boolean;
}

export function drawEdges(
  context: CanvasRenderingContext2D,
  edges: readonly FactEdge[],
  colourOf: ColourOf,
  { view, isFaded, withArrows }: EdgeStyle,
): void {
  context.globalAlpha = isFaded ? 0.3 : Math.min(0.85, Math.max(0.35, 40 / Math.sqrt(edges.length + 1)));
  context.strokeStyle = context.fillStyle = colourOf('--line-strong');
  context.lineWidth = edges.length > MAX_ARROWS ? 0.6 : 1;
  trace(context, edges, view);
  if (withArrows) for (const edge of edges) drawArrow(context, edge, view);
  context.globalAlpha = 1;
}

/** Those of the node one looks at. */
export function drawOwnEdges(
  context: CanvasRenderingContext2D,
  edges: readonly FactEdge[],
  colourOf: ColourOf,
  view: View,
): void {
  context.strokeStyle = context.fillStyle = colourOf('--accent');
  context.lineWidth = 1.6;
  trace(context, edges, view);
  for (const edge of edges) drawArrow(context, edge, view);
}

function trace(context: CanvasRenderingContext2D, edges: readonly FactEdge[], view: View): void {
  context.beginPath();
  for (const edge of edges) {
    const [start, end] = [toScreen(view, edge.source), toScreen(view, edge.target)];
    if (edge.source === edge.target) {
      const radius = sizeOf(edge.source, view.scale);
      context.moveTo(start.x, start.y);
      context.arc(start.x, start.y - radius, radius, Math.PI / 2, Math.PI * 2.5);
      continue;
    }
    context.moveTo(start.x, start.y);
    const bend = bendOf(edge, start, end);
    if (bend === undefined) context.lineTo(end.x, end.y);
    else context.quadraticCurveTo(bend.x, bend.y, end.x, end.y);
  }
  context.stroke();
}

const BEND = 0.16;

/** The point towards which an edge is bent. */
function bendOf({ isBent }: FactEdge, start: Point, end: Point): Point | undefined {
  if (!isBent) return undefined;
  return {
    x: (start.x + end.x) / 2 - (end.y - start.y) * BEND,
    y: (start.y + end.y) / 2 + (end.x - start.x) * BEND,
  };
}

const ARROW_PX = 6;

function drawArrow(context: CanvasRenderingContext2D, edge: FactEdge, view: View): void {
  if (edge.source === edge.target) return;
  const [start, end] = [toScreen(view, edge.source), toScreen(view, edge.target)];
  const from = bendOf(edge, start, end) ?? start;
  const length = Math.hypot(end.x - from.x, end.y - from.y);
  const radius = sizeOf(edge.target, view.scale) + 1;
  if (length < radius + 2 * ARROW_PX) return;
  const [x, y] = [(end.x - from.x) / length, (end.y - from.y) / length];
  const tip = { x: end.x - x * radius, y: end.y - y * radius };
  const back = { x: tip.x - x * ARROW_PX, y: tip.y - y * ARROW_PX };
  context.beginPath();
  context.moveTo(tip.x, tip.y);
  context.lineTo(back.x - y * ARROW_PX * 0.5, back.y + x * ARROW_PX * 0.5);
  context.lineTo(back.x + y * ARROW_PX * 0.5, back.y - x * ARROW_PX * 0.5);
  context.fill();
}

export function nameEdges(edges: readonly FactEdge[], labels: Labels, view: View, at: number): void {
  for (const edge of edges) {
    const [start, end] = [toScreen(view, edge.source), toScreen(view, edge.target)];
    const bend = bendOf(edge, start, end);
    const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
    const place = bend === undefined ? middle : { x: (middle.x + bend.x) / 2, y: (middle.y + bend.y) / 2 };
    const words = edge.facts.filter((fact) => holdsAt(fact, at)).map(({ predicate }) => predicate.replaceAll('_', ' '));
    labels.along([...new Set(words)].join(', '), place, Math.hypot(end.x - start.x, end.y - start.y));
  }
}
