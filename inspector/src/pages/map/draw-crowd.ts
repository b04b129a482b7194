/** Draws tens of thousands of points, pixel by pixel: many times quicker than shape by shape. */

import { toScreen, type View } from '../../components/view-transform.ts';
import type { MapPoint } from './map-points.ts';

const packed = new Map<string, number>();

/** A colour of CSS as the four bytes of a pixel. */
function pixelOf(colour: string, alpha: number): number {
  const key = `${colour} ${alpha}`;
  const known = packed.get(key);
  if (known !== undefined) return known;
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  if (context === null) return 0;
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const bytes = context.getImageData(0, 0, 1, 1).data;
  bytes[3] = Math.round(alpha * 255);
  const pixel = new Uint32Array(bytes.buffer)[0] ?? 0;
  packed.set(key, pixel);
  return pixel;
}

/** Replaces what is on the canvas. Points lie over each other in their order, so that mixtures are seen as such. */
export function drawCrowd(
  context: CanvasRenderingContext2D,
  points: Iterable<MapPoint>,
  styleOf: (point: MapPoint) => { readonly colour: string; readonly alpha: number },
  { view, radius }: { readonly view: View; readonly radius: number },
): void {
  const { width, height } = context.canvas;
  if (width === 0 || height === 0) return;
  const ratio = window.devicePixelRatio;
  const side = Math.max(2, Math.round(2 * radius * ratio));
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  for (const point of points) {
    const at = toScreen(view, point);
    const [left, top] = [Math.round(at.x * ratio - side / 2), Math.round(at.y * ratio - side / 2)];
    if (left < 0 || top < 0 || left + side > width || top + side > height) continue;
    const { colour, alpha } = styleOf(point);
    const pixel = pixelOf(colour, alpha);
    for (let y = top; y < top + side; y += 1) pixels.fill(pixel, y * width + left, y * width + left + side);
  }
  context.putImageData(image, 0, 0);
}
