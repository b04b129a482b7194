/** Names on a canvas that never lie over each other: who comes first has the place. */

import type { ColourOf } from './canvas-colours.ts';
import type { Point, Size } from './view-transform.ts';

export interface Labels {
  /** Nothing is written over this circle. */
  keepFree(at: Point, radius: number): void;
  /** How many have been written. */
  readonly count: number;
  /** Right of a circle, or left, below or above it. */
  beside(
    text: string,
    at: Point,
    radius: number,
    style: { readonly isStrong: boolean; readonly isQuiet: boolean },
  ): void;
  /** Above a point, and within the canvas. */
  above(text: string, at: Point): void;
  /** On the middle of a line, if that is long enough. */
  along(text: string, at: Point, length: number): void;
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const MAX_LENGTH = 34;
const HEIGHT = 15;
const GAP = 4;
/** Boxes are looked for in cells of this size. */
const CELL = 64;

export function createLabels(context: CanvasRenderingContext2D, colourOf: ColourOf, size: Size): Labels {
  const family = getComputedStyle(document.body).fontFamily;
  const cells = new Map<string, Box[]>();
  let count = 0;

  const cellsOf = ({ left, top, right, bottom }: Box): string[] => {
    const keys: string[] = [];
    for (let x = Math.floor(left / CELL); x <= Math.floor(right / CELL); x += 1) {
      for (let y = Math.floor(top / CELL); y <= Math.floor(bottom / CELL); y += 1) keys.push(`${x},${y}`);
    }
    return keys;
  };
  const isFree = (box: Box): boolean =>
    box.left > 0 &&
    box.right < size.width &&
    cellsOf(box).every((key) =>
      (cells.get(key) ?? []).every(
        (other) => other.left > box.right || other.right < box.left || other.top > box.bottom || other.bottom < box.top,
      ),
    );
  const take = (box: Box): void => {
    for (const key of cellsOf(box)) {
      const boxes = cells.get(key);
      if (boxes === undefined) cells.set(key, [box]);
      else boxes.push(box);
    }
  };
  const write = (text: string, box: Box, colour: string): void => {
    context.lineJoin = 'round';
    context.lineWidth = 3.5;
    context.strokeStyle = colourOf('--surface');
    context.textBaseline = 'middle';
    const y = (box.top + box.bottom) / 2;
    count += 1;
    context.strokeText(text, box.left, y);
    context.fillStyle = colour;
    context.fillText(text, box.left, y);
  };

  return {
    keepFree: ({ x, y }, radius) => take({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }),
    get count() {
      return count;
    },
    beside: (name, { x, y }, radius, { isStrong, isQuiet }) => {
      if (x < -radius || y < -radius || x > size.width + radius || y > size.height + radius) return;
      const text = shortened(name);
      context.font = `${isStrong ? 650 : 500} 12px ${family}`;
      const { width } = context.measureText(text);
      const half = HEIGHT / 2;
      const places: Box[] = [
        { left: x + radius + GAP, right: x + radius + GAP + width, top: y - half, bottom: y + half },
        { left: x - radius - GAP - width, right: x - radius - GAP, top: y - half, bottom: y + half },
        { left: x - width / 2, right: x + width / 2, top: y + radius + 2, bottom: y + radius + 2 + HEIGHT },
        { left: x - width / 2, right: x + width / 2, top: y - radius - 2 - HEIGHT, bottom: y - radius - 2 },
      ];
      const box = places.find(isFree) ?? (isStrong ? places[0] : undefined);
      if (box === undefined) return;
      take(box);
      write(text, box, colourOf(isQuiet ? '--text-quiet' : '--text'));
    },
    above: (text, { x, y: bottom }) => {
      context.font = `600 12px ${family}`;
      const { width } = context.measureText(text);
      const left = Math.min(size.width - width - GAP, Math.max(GAP, x - width / 2));
      const box = { left, right: left + width, top: bottom - HEIGHT, bottom };
      if (x < 0 || x > size.width || !isFree(box)) return;
      take(box);
      write(text, box, colourOf('--text'));
    },
    along: (name, { x, y }, length) => {
      const text = shortened(name);
      context.font = `italic 400 11px ${family}`;
      const { width } = context.measureText(text);
      const box = { left: x - width / 2, right: x + width / 2, top: y - HEIGHT / 2, bottom: y + HEIGHT / 2 };
      if (width > length - 24 || !isFree(box)) return;
      take(box);
      write(text, box, colourOf('--text-quiet'));
    },
  };
}

function shortened(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}
