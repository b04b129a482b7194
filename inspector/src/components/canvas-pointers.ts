/** Pointers over a canvas: one drags, two pinch, a short one presses, the wheel zooms. */

import { moved, toPlane, zoomed, type Point, type View } from './view-transform.ts';

/** A drag that somebody has taken over. */
export interface Grab {
  move(at: Point): void;
  end(): void;
}

interface PointerTarget {
  view(): View;
  look(view: View): void;
  grab(at: Point): Grab | undefined;
  hover(at: Point | undefined): void;
  press(at: Point, isDouble: boolean): void;
}

/** Less than this is a press, not a drag. */
const SLACK_PX = 4;
const DOUBLE_MS = 350;
const WHEEL = 0.0022;
/** A wheel may count lines instead of pixels. */
const LINE_PX = 18;

/** Ends with the function that it gives. */
export function followPointers(element: HTMLElement, target: PointerTarget): () => void {
  const down = new Map<number, Point>();
  const controller = new AbortController();
  const { signal } = controller;
  let grabbed: Grab | undefined;
  let start: Point = { x: 0, y: 0 };
  let hasMoved = false;
  let lastPress = { at: 0, x: 0, y: 0 };

  const pointOf = ({ offsetX, offsetY }: MouseEvent): Point => ({ x: offsetX, y: offsetY });
  const onPlane = (at: Point): Point => toPlane(target.view(), at);

  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    const at = pointOf(event);
    down.set(event.pointerId, at);
    if (down.size > 1) {
      grabbed?.end();
      grabbed = undefined;
      hasMoved = true;
      return;
    }
    start = at;
    hasMoved = false;
    grabbed = target.grab(onPlane(at));
  };
  const onMove = (event: PointerEvent): void => {
    const at = pointOf(event);
    const before = down.get(event.pointerId);
    if (before === undefined) return target.hover(onPlane(at));
    if (!hasMoved && Math.hypot(at.x - start.x, at.y - start.y) < SLACK_PX) return undefined;
    if (!hasMoved) target.hover(undefined);
    hasMoved = true;
    down.set(event.pointerId, at);
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other !== undefined) pinch(before, at, other);
    else if (grabbed !== undefined) grabbed.move(onPlane(at));
    else target.look(moved(target.view(), at.x - before.x, at.y - before.y));
    return undefined;
  };
  const pinch = (before: Point, at: Point, other: Point): void => {
    const factor = Math.hypot(at.x - other.x, at.y - other.y) / Math.hypot(before.x - other.x, before.y - other.y);
    const middle = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 };
    const shifted = moved(target.view(), (at.x - before.x) / 2, (at.y - before.y) / 2);
    target.look(Number.isFinite(factor) ? zoomed(shifted, factor, middle) : shifted);
  };
  const onUp = (event: PointerEvent): void => {
    if (!down.delete(event.pointerId)) return;
    if (down.size > 0) return;
    grabbed?.end();
    grabbed = undefined;
    if (!hasMoved && event.type === 'pointerup') press(pointOf(event), event.timeStamp);
  };
  const press = (at: Point, time: number): void => {
    const isNear = Math.hypot(at.x - lastPress.x, at.y - lastPress.y) < 4 * SLACK_PX;
    const isDouble = isNear && time - lastPress.at < DOUBLE_MS;
    lastPress = { at: isDouble ? 0 : time, ...at };
    target.press(onPlane(at), isDouble);
  };
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1);
    target.look(zoomed(target.view(), Math.exp(-pixels * WHEEL), pointOf(event)));
  };

  element.addEventListener('pointerdown', onDown, { signal });
  element.addEventListener('pointermove', onMove, { signal });
  element.addEventListener('pointerup', onUp, { signal });
  element.addEventListener('pointercancel', onUp, { signal });
  element.addEventListener('pointerleave', () => target.hover(undefined), { signal });
  element.addEventListener('wheel', onWheel, { signal, passive: false });
  return () => controller.abort();
}
