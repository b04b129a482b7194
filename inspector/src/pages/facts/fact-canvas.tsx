/** The graph to look around in: press a node to select it, twice to open it, drag it to move it. */

import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CanvasStage, type Stage } from '../../components/canvas-stage.tsx';
import type { Grab } from '../../components/canvas-pointers.ts';
import { useColours } from '../../components/canvas-colours.ts';
import { boundsOf, type Point } from '../../components/view-transform.ts';
import { drawGraph, type GraphLook } from './draw-graph.ts';
import type { FactGraph, FactNode } from './fact-graph.ts';
import { layOut } from './fact-layout.ts';
import { sizeOf } from './node-size.ts';

interface FactCanvasProps {
  readonly graph: FactGraph;
  readonly label: string;
  readonly look: Omit<GraphLook, 'hovered'>;
  readonly onSelect: (name: string | undefined) => void;
  readonly onOpen: (name: string) => void;
}

/** A finger is not so exact. */
const REACH_PX = 10;
const MAX_DRAGGED = 300;

const wantsLessMotion = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

export function FactCanvas({ graph, label, look, onSelect, onOpen }: FactCanvasProps): VNode {
  const stage = useRef<Stage>(null);
  const [hovered, setHovered] = useState<string | undefined>(undefined);
  const colourOf = useColours();
  const wake = useMotion(graph, () => stage.current?.redraw());

  const nodeAt = (at: Point): FactNode | undefined => {
    const scale = stage.current?.view.scale ?? 1;
    let best: FactNode | undefined;
    let distance = Infinity;
    for (const node of graph.nodes) {
      const away = Math.hypot(node.x - at.x, node.y - at.y) * scale - sizeOf(node, scale);
      if (away < REACH_PX && away < distance) [best, distance] = [node, away];
    }
    return best;
  };
  const grab = (at: Point): Grab | undefined => {
    // In a crowd one would always take hold of something, and could not look around.
    const node = graph.nodes.length > MAX_DRAGGED ? undefined : nodeAt(at);
    if (node === undefined) return undefined;
    return {
      move: ({ x, y }) => {
        Object.assign(node, { fx: x, fy: y, x, y });
        wake();
      },
      end: () => void Object.assign(node, { fx: null, fy: null }),
    };
  };
  return (
    <CanvasStage
      label={label}
      stage={stage}
      bounds={() => boundsOf(graph.nodes)}
      draw={(context, view, size) => drawGraph(context, graph, { ...look, hovered }, colourOf, view, size)}
      grab={grab}
      onHover={(at) => setHovered(at && nodeAt(at)?.name)}
      onPress={(at, isDouble) => {
        const node = nodeAt(at);
        if (node !== undefined && isDouble) onOpen(node.name);
        else onSelect(node?.name);
      }}
    />
  );
}

/** Lets the graph find its places. Gives how to wake it up again. */
function useMotion(graph: FactGraph, redraw: () => void): () => void {
  const before = useRef<FactGraph | undefined>(undefined);
  const layout = useMemo(() => {
    const isNew = before.current === undefined;
    before.current = graph;
    return layOut(graph, isNew);
  }, [graph]);
  const run = useRef<() => void>(() => undefined);
  useEffect(() => {
    let frame = 0;
    const step = (): void => {
      frame = 0;
      const isMoving = layout.step();
      if (!isMoving || !wantsLessMotion()) redraw();
      if (isMoving) frame = requestAnimationFrame(step);
    };
    run.current = () => {
      frame ||= requestAnimationFrame(step);
    };
    run.current();
    return () => cancelAnimationFrame(frame);
  }, [layout]);
  return () => {
    layout.wake();
    run.current();
  };
}
