/** Draws the graph: edges first, then nodes, then as many names as there is room for. */

import type { ColourOf } from '../../components/canvas-colours.ts';
import { createLabels, type Labels } from '../../components/canvas-labels.ts';
import { seen, toScreen, type Size, type View } from '../../components/view-transform.ts';
import { drawEdges, drawOwnEdges, inView, MAX_ARROWS, nameEdges } from './draw-edges.ts';
import { holdsAt, type FactGraph, type FactNode } from './fact-graph.ts';
import { sizeOf } from './node-size.ts';

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

/** With more edges than this, their words would hide them. */
const MAX_WORDS = 45;
/** So many nodes in view may all be named; of more only the largest, one for each piece of this size. */
const ALL_NAMED = 140;
const PX_PER_NAME = 9000;
const FADED = 0.16;

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
  const styleOf = (node: FactNode): NodeStyle => ({
    colour: colourOf(look.tokenOf(node)),
    alpha: !alive.has(node.name) ? FADED : isBright(node) ? 1 : 0.5,
    isOpen: look.opened?.has(node.name) !== false,
  });
  drawNodes(context, graph.nodes, styleOf, view, colourOf('--surface'));
  if (graph.nodes.length < MAX_ARROWS) {
    for (const node of graph.nodes) labels.keepFree(toScreen(view, node), sizeOf(node, view.scale));
  }
  const chosen = graph.byName.get(focus ?? '');
  const kept = graph.byName.get(look.selected ?? '');
  for (const node of [kept, chosen]) if (node !== undefined) drawRing(context, node, view, colourOf);
  nameNodes(graph, labels, { view, size }, (node) =>
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

interface NodeStyle {
  readonly colour: string;
  readonly alpha: number;
  /** Filled; a ring where it is not opened yet. */
  readonly isOpen: boolean;
}

/** All that look alike at once: a thousand circles in one path are quick. */
function drawNodes(
  context: CanvasRenderingContext2D,
  nodes: readonly FactNode[],
  styleOf: (node: FactNode) => NodeStyle,
  view: View,
  ground: string,
): void {
  const styles = new Map<string, NodeStyle>();
  const alike = Map.groupBy(nodes, (node) => {
    const style = styleOf(node);
    const key = `${style.alpha} ${style.isOpen} ${style.colour}`;
    styles.set(key, style);
    return key;
  });
  // The palest first: what is brought out lies over them.
  const groups = [...alike].toSorted(([one], [other]) => Number.parseFloat(one) - Number.parseFloat(other));
  for (const [key, group] of groups) {
    const { colour, alpha, isOpen } = styles.get(key) ?? { colour: ground, alpha: 1, isOpen: true };
    context.beginPath();
    for (const node of group) {
      const { x, y } = toScreen(view, node);
      const radius = sizeOf(node, view.scale);
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, Math.PI * 2);
    }
    // The ground first: edges end at the node, also at one that is faded or open.
    context.fillStyle = alpha === 1 && isOpen ? colour : ground;
    context.fill();
    context.globalAlpha = alpha;
    context.fillStyle = context.strokeStyle = colour;
    context.lineWidth = 2;
    if (!isOpen) context.stroke();
    else if (alpha < 1) context.fill();
    context.globalAlpha = 1;
  }
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
  { view, size }: { readonly view: View; readonly size: Size },
  rankOf: (node: FactNode) => number | undefined,
): void {
  const { left, top, right, bottom } = seen(view, size);
  const ranked = nodes.flatMap((node) => {
    const rank = rankOf(node);
    const isSeen = node.x > left && node.x < right && node.y > top && node.y < bottom;
    return rank === undefined || !isSeen ? [] : [{ node, rank }];
  });
  ranked.sort((one, other) => other.rank - one.rank || other.node.degree - one.node.degree);
  const most = ranked.length <= ALL_NAMED ? ALL_NAMED : (size.width * size.height) / PX_PER_NAME;
  for (const { node, rank } of ranked) {
    if (labels.count >= most && rank < 2) break;
    labels.beside(node.name, toScreen(view, node), sizeOf(node, view.scale), {
      isStrong: rank === 3,
      isQuiet: rank === 0,
    });
  }
}
