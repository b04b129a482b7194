/** What is drawn on the stage of a graph or a map: the tests see it as people do, by its pixels. */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { SOON } from './browser.ts';

/** How many pixels are painted. */
export function painted(page: Page): Promise<number> {
  return page.locator('.stage-canvas').evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let count = 0;
    for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] ?? 0) > 0) count += 1;
    return count;
  });
}

/**
 * Presses what is drawn, until the address has the text: here and there, because what is a node or a point of so many pixels in
 * either direction cannot be told from thick letters, and because things move until they have found their places.
 */
export async function pressUntil(page: Page, size: number, text: string): Promise<void> {
  let turn = 0;
  const press = async (): Promise<string> => {
    const all = await spots(page, size);
    const position = all[Math.floor(((turn * GOLDEN) % 1) * all.length)];
    turn += 1;
    const box = await page.locator('.stage-canvas').boundingBox();
    // Not as a click on the element: that would wait for whatever lies above it to go away.
    if (position && box) await page.mouse.click(box.x + position.x, box.y + position.y);
    return page.url();
  };
  await expect.poll(press, { ...SOON, interval: 20 }).toContain(text);
}

/** Its multiples lie as far apart as can be. */
const GOLDEN = 0.618;

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** The middles of squares of so many painted pixels. */
function spots(page: Page, size: number): Promise<Spot[]> {
  return page.locator('.stage-canvas').evaluate((element, side) => {
    const canvas = element as HTMLCanvasElement;
    const { width, height } = canvas;
    const pixels = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
    const isFull = (left: number, top: number): boolean => {
      for (let y = top; y < top + side; y += 1) {
        for (let x = left; x < left + side; x += 1) if ((pixels[4 * (y * width + x) + 3] ?? 0) < 40) return false;
      }
      return true;
    };
    const scale = canvas.clientWidth / width;
    const found: Spot[] = [];
    for (let top = side; top < height - 2 * side; top += 1) {
      for (let left = side; left < width - 2 * side; left += 1) {
        if (!isFull(left, top)) continue;
        found.push({ x: (left + side / 2) * scale, y: (top + side / 2) * scale });
        left += side;
      }
    }
    return found;
  }, size);
}
