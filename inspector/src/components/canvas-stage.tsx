/** A canvas to look around in: drag, pinch, wheel, buttons and keys. What is drawn is the page's affair. */

import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { followPointers, type Grab } from './canvas-pointers.ts';
import { fitted, moved, zoomed, type Bounds, type Point, type Size, type View } from './view-transform.ts';

export interface Stage {
  /** Draws again with the next frame. */
  redraw(): void;
  /** Shows all of it. */
  fit(): void;
  readonly view: View;
  readonly size: Size;
}

interface CanvasStageProps {
  /** What is to be seen; the words for those who do not see it. */
  readonly label: string;
  readonly stage: RefObject<Stage | null>;
  readonly bounds: () => Bounds | undefined;
  readonly draw: (context: CanvasRenderingContext2D, view: View, size: Size) => void;
  /** On the plane and on the screen; undefined when the pointer leaves. */
  readonly onHover?: (at: Point | undefined) => void;
  readonly onPress?: (at: Point, isDouble: boolean) => void;
  /** Takes a drag that begins here over; undefined lets it move the view. */
  readonly grab?: (at: Point) => Grab | undefined;
  /** Over the canvas: legends, labels. */
  readonly children?: ComponentChildren;
}

const MARGIN = 48;
const STEP = 1.35;
const PAN_PX = 60;
const [NEAREST, FARTHEST] = [1 / 20, 60];

export function CanvasStage(props: CanvasStageProps): VNode {
  const { label, stage, children } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const keys = useRef<(event: KeyboardEvent) => void>(() => undefined);
  const zoom = useRef<(factor: number) => void>(() => undefined);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (element === null || !context) return undefined;
    let size: Size = { width: element.clientWidth, height: element.clientHeight };
    let view: View = { scale: 1, x: size.width / 2, y: size.height / 2 };
    let frame = 0;
    let fittedScale = 1;
    // Until somebody looks elsewhere, all of it stays in view while it moves and grows.
    let isFollowing = true;

    const fit = (): void => {
      const bounds = latest.current.bounds();
      if (bounds === undefined) return;
      view = fitted(bounds, size, Math.min(MARGIN, size.width / 8));
      fittedScale = view.scale;
    };
    const paint = (): void => {
      frame = 0;
      if (isFollowing) fit();
      const ratio = window.devicePixelRatio;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, size.width, size.height);
      latest.current.draw(context, view, size);
    };
    const redraw = (): void => {
      frame ||= requestAnimationFrame(paint);
    };
    const look = (next: View): void => {
      if (next.scale < fittedScale * NEAREST || next.scale > fittedScale * FARTHEST) return;
      isFollowing = false;
      view = next;
      redraw();
    };
    const middle = (): Point => ({ x: size.width / 2, y: size.height / 2 });
    zoom.current = (factor) => look(zoomed(view, factor, middle()));
    stage.current = {
      redraw,
      fit: () => {
        isFollowing = true;
        redraw();
      },
      get view() {
        return view;
      },
      get size() {
        return size;
      },
    };
    keys.current = (event) => {
      const acts: Readonly<Record<string, () => void>> = {
        '+': () => zoom.current(STEP),
        '=': () => zoom.current(STEP),
        '-': () => zoom.current(1 / STEP),
        '0': () => stage.current?.fit(),
        ArrowLeft: () => look(moved(view, PAN_PX, 0)),
        ArrowRight: () => look(moved(view, -PAN_PX, 0)),
        ArrowUp: () => look(moved(view, 0, PAN_PX)),
        ArrowDown: () => look(moved(view, 0, -PAN_PX)),
      };
      const act = acts[event.key];
      if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    const stop = followPointers(element, {
      view: () => view,
      look,
      grab: (at) => latest.current.grab?.(at),
      hover: (at) => latest.current.onHover?.(at),
      press: (at, isDouble) => latest.current.onPress?.(at, isDouble),
    });
    const observer = new ResizeObserver(() => {
      size = { width: element.clientWidth, height: element.clientHeight };
      element.width = Math.round(size.width * window.devicePixelRatio);
      element.height = Math.round(size.height * window.devicePixelRatio);
      cancelAnimationFrame(frame);
      paint();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      stop();
      cancelAnimationFrame(frame);
      stage.current = null;
    };
  }, []);
  useEffect(() => stage.current?.redraw());

  return (
    <div class="stage">
      <canvas
        class="stage-canvas"
        ref={canvas}
        tabIndex={0}
        role="img"
        aria-label={label}
        onKeyDown={(event) => keys.current(event)}
      />
      {children}
      <div class="stage-tools">
        <button
          type="button"
          class="icon-button"
          aria-label="Nearer"
          title="Nearer (+)"
          onClick={() => zoom.current(STEP)}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Farther"
          title="Farther (-)"
          onClick={() => zoom.current(1 / STEP)}
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Show all"
          title="Show all (0)"
          onClick={() => stage.current?.fit()}
        >
          <Icon name="fit" />
        </button>
      </div>
    </div>
  );
}
