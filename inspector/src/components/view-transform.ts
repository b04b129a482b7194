/** How a plane is looked at through a canvas: a scale and a shift, in CSS pixels. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A point of the plane is drawn at `point * scale + shift`. */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export function toScreen({ scale, x, y }: View, point: Point): Point {
  return { x: point.x * scale + x, y: point.y * scale + y };
}

export function toPlane({ scale, x, y }: View, point: Point): Point {
  return { x: (point.x - x) / scale, y: (point.y - y) / scale };
}

/** All of it, in the middle, with room around it. */
export function fitted({ left, top, right, bottom }: Bounds, { width, height }: Size, margin: number): View {
  const room = { width: Math.max(1, width - 2 * margin), height: Math.max(1, height - 2 * margin) };
  const scale = Math.min(room.width / Math.max(1e-6, right - left), room.height / Math.max(1e-6, bottom - top));
  return { scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale };
}

/** Nearer or farther; what is under the point stays there. */
export function zoomed({ scale, x, y }: View, factor: number, at: Point): View {
  return { scale: scale * factor, x: at.x - (at.x - x) * factor, y: at.y - (at.y - y) * factor };
}

export function moved(view: View, x: number, y: number): View {
  return { ...view, x: view.x + x, y: view.y + y };
}

/** What of the plane is seen. */
export function seen(view: View, { width, height }: Size): Bounds {
  const [start, end] = [toPlane(view, { x: 0, y: 0 }), toPlane(view, { x: width, y: height })];
  return { left: start.x, top: start.y, right: end.x, bottom: end.y };
}

/** Undefined where there are no points. */
export function boundsOf(points: Iterable<Point>): Bounds | undefined {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return left === Infinity ? undefined : { left, top, right, bottom };
}
