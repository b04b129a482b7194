/** Draws the graph: edges first, then nodes, then as many names as there is room for. */

import type { ColourOf } from '../../components/canvas-colours.ts';
import { createLabels, type Labels } from '../../components/canvas-labels.ts';
import { seen, toScreen, type Point, type Size, type View } from '../../components/view-transform.ts';
import { holdsAt, type FactEdge, type FactGraph, type FactNode } from './fact-graph.ts';

export interface GraphLook {
  /** The colour of a node, as the stylesheet names it. */
  readonly tokenOf: (node: FactNode) => string;
  readonly at: number;
  /** The node one looks at: what it is tied to is brought out. */
  readonly selected: string | undefined;
  readonly hovered: string | undefined;
  /** Of a walk, those that are opened; all of them without one. */
  readonly opened: ReadonlySet<string> | undefined;
  /** Whether its name has the words that are looked for; everything without words. */
  readonly isFound: ((name: string) => boolean) | undefined;
}

/** With more edges in view than this, arrows and words would hide them. */
const MAX_ARROWS = 400;
const MAX_WORDS = 45;
const FADED = 0.16;

export function radiusOf({ degree }: FactNode): number {
  return Math.min(15, 3.5 + 1.9 * Math.sqrt(degree));
}

/** On the screen nodes grow more slowly than the distances between them. */
function sizeOf(node: FactNode, scale: number): number {
  return radiusOf(node) * Math.min(1.5, Math.max(0.35, Math.sqrt(scale)));
}

export function drawGraph(
  context: CanvasRenderingContext2D,
  graph: FactGraph,
  look: GraphLook,
  colourOf: ColourOf,
  view: View,
  size: Size,
): void {
  const focus = look.hovered ?? look.selected;
  const holding = graph.edges.filter(({ facts }) => facts.some((fact) => holdsAt(fact, look.at)));
  const alive = new Set(holding.flatMap(({ source, target }) => [source.name, target.name]));
  const near = new Set<string>();
  for (const { source, target } of holding) {
    if (source.name === focus) near.add(target.name);
    if (target.name === focus) near.add(source.name);
  }
  const visible = inView(holding, view, size);
  const own = visible.filter(({ source, target }) => source.name === focus || target.name === focus);
  drawEdges(context, visible, colourOf, {
    view,
    isFaded: focus !== undefined,
    withArrows: visible.length < MAX_ARROWS,
  });
  drawOwnEdges(context, own, colourOf, view);

  const labels = createLabels(context, colourOf, size);
  const isBright = ({ name }: FactNode): boolean =>
    (focus === undefined || name === focus || near.has(name)) && look.isFound?.(name) !== false;
  for (const node of graph.nodes) {
    const alpha = alive.has(node.name) ? (isBright(node) ? 1 : 0.5) : FADED;
    drawNode(context, node, {
      view,
      colour: colourOf(look.tokenOf(node)),
      ground: colourOf('--surface'),
      alpha,
      isOpen: look.opened?.has(node.name) !== false,
    });
  }
  if (graph.nodes.length < MAX_ARROWS) {
    for (const node of graph.nodes) labels.keepFree(toScreen(view, node), sizeOf(node, view.scale));
  }
  const chosen = graph.byName.get(focus ?? '');
  const kept = graph.byName.get(look.selected ?? '');
  for (const node of [kept, chosen]) if (node !== undefined) drawRing(context, node, view, colourOf);
  nameNodes(graph, labels, view, (node) =>
    !alive.has(node.name)
      ? undefined
      : node === chosen || node === kept
        ? 3
        : near.has(node.name)
          ? 2
          : isBright(node)
            ? 1
            : 0,
  );
  const worded = focus === undefined ? visible : own;
  if (worded.length <= MAX_WORDS) nameEdges(worded, labels, view, look.at);
}

function inView(edges: readonly FactEdge[], view: View, size: Size): FactEdge[] {
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

function drawEdges(
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

function drawOwnEdges(
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

interface NodeStyle {
  readonly view: View;
  readonly colour: string;
  readonly ground: string;
  readonly alpha: number;
  readonly isOpen: boolean;
}

function drawNode(
  context: CanvasRenderingContext2D,
  node: FactNode,
  { view, colour, ground, alpha, isOpen }: NodeStyle,
): void {
  const { x, y } = toScreen(view, node);
  const radius = sizeOf(node, view.scale);
  context.beginPath();
  context.arc(x, y, radius, 0, Math.PI * 2);
  // The ground first: edges end at the node, also at one that is faded.
  context.fillStyle = ground;
  context.fill();
  context.globalAlpha = alpha;
  if (isOpen) {
    context.fillStyle = colour;
    context.fill();
  } else {
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.stroke();
  }
  context.globalAlpha = 1;
}

function drawRing(context: CanvasRenderingContext2D, node: FactNode, view: View, colourOf: ColourOf): void {
  const { x, y } = toScreen(view, node);
  context.beginPath();
  context.arc(x, y, sizeOf(node, view.scale) + 3.5, 0, Math.PI * 2);
  context.strokeStyle = colourOf('--accent');
  context.lineWidth = 2;
  context.stroke();
}

/** The rank says who is named first; 0 only where there is room, undefined never. */
function nameNodes(
  { nodes }: FactGraph,
  labels: Labels,
  view: View,
  rankOf: (node: FactNode) => number | undefined,
): void {
  const ranked = nodes.flatMap((node) => {
    const rank = rankOf(node);
    return rank === undefined ? [] : [{ node, rank }];
  });
  ranked.sort((one, other) => other.rank - one.rank || other.node.degree - one.node.degree);
  for (const { node, rank } of ranked) {
    const at = toScreen(view, node);
    if (labels.isFull && rank < 2) break;
    labels.beside(node.name, at, sizeOf(node, view.scale), { isStrong: rank === 3, isQuiet: rank === 0 });
  }
}

function nameEdges(edges: readonly FactEdge[], labels: Labels, view: View, at: number): void {
  for (const edge of edges) {
    const [start, end] = [toScreen(view, edge.source), toScreen(view, edge.target)];
    const bend = bendOf(edge, start, end);
    const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
    const place = bend === undefined ? middle : { x: (middle.x + bend.x) / 2, y: (middle.y + bend.y) / 2 };
    const words = edge.facts.filter((fact) => holdsAt(fact, at)).map(({ predicate }) => predicate.replaceAll('_', ' '));
    labels.along([...new Set(words)].join(', '), place, Math.hypot(end.x - start.x, end.y - start.y));
  }
}
