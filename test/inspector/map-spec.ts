/** The map of memory in the inspector: points by meaning, colours, the lasso, and the list that has the same. */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { SOON, visit, world } from './browser.ts';
import { pressUntil } from './canvas.ts';

const OPENED = 'project=apollo&team=platform&agent=scribe';
const WHOLE = { timeout: 45_000 };

/** Pixels. */
const POINT_SIZE = 3;

function list(page: Page): ReturnType<Page['getByRole']> {
  return page.getByRole('group', { name: 'Memories on the map' });
}

/** How many are chosen, as the page tells it. */
async function chosen(page: Page): Promise<number> {
  const text = await page.locator('.map-count [role=status]').textContent();
  return Number(/^[\d,]+/.exec(text ?? '')?.[0].replaceAll(',', ''));
}

/** As the service would answer, without storing so many. */
function bigMap(count: number): unknown {
  const all = Array.from({ length: count }, (_, at) => at);
  return {
    status: 'ready',
    progress: 1,
    is_stale: false,
    computed_at: '2026-11-15T09:30:00.000Z',
    total: count,
    points: {
      ids: all.map((at) => `01990b2e-6f3a-7cc1-9d54-${String(at).padStart(12, '0')}`),
      x: all.map((at) => Math.sin(at * 1.7) * Math.sqrt((at % 997) / 997)),
      y: all.map((at) => Math.cos(at * 1.7) * Math.sqrt((at % 991) / 991)),
      layers: all.map((at) => ['user', 'project', 'team'][at % 3]),
      kinds: all.map((at) => ['semantic', 'episodic'][at % 2]),
      created_at: all.map(() => '2026-11-15T09:30:00.000Z'),
      labels: all.map((at) => `Memory ${at}`),
    },
  };
}

export function mapSpec(): void {
  describe('the map in the inspector', () => {
    it('is computed while one waits, then has every memory that is opened', async () => {
      const page = await visit(`/inspect/map?${OPENED}`);
      await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
      await list(page).locator('li').first().waitFor(WHOLE);
      expect(await chosen(page)).toBeGreaterThan(250);
      const legend = page.getByRole('group', { name: 'Only these' });
      expect(await legend.textContent()).toMatch(/agent.*user.*project.*team/);
      await legend.getByRole('checkbox', { name: /^project/ }).check({ force: true });
      await expect.poll(() => chosen(page), SOON).toBeLessThan(10);
      expect(await list(page).textContent()).toContain('Apollo');
      expect(page.url()).toContain('only=project');

      await page.getByRole('radio', { name: 'kind' }).check({ force: true });
      await expect.poll(() => legend.textContent(), SOON).toMatch(/semantic.*procedural/);
      await page.getByRole('radio', { name: 'age' }).check({ force: true });
      await expect.poll(() => legend.textContent(), SOON).toMatch(/last month/);
    });

    it('chooses by words, by a lasso and by what is in view, and keeps that in the address', async () => {
      const page = await visit(`/inspect/map?${OPENED}`);
      await list(page).locator('li').first().waitFor(WHOLE);
      const all = await chosen(page);
      await page.keyboard.press('/');
      await page.keyboard.type('sleep moves');
      await expect.poll(() => chosen(page), SOON).toBe(40);
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Delete');
      await expect.poll(() => chosen(page), SOON).toBe(all);
      await page.keyboard.press('Escape');

      await page.keyboard.press('l');
      const canvas = page.locator('.stage-canvas');
      const { x, y, width, height } = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      await page.mouse.move(x + 5, y + 5);
      await page.mouse.down();
      for (const [across, down] of [
        [0.5, 0.01],
        [0.5, 0.5],
        [0.5, 0.99],
        [0.25, 0.99],
        [0.01, 0.99],
      ] as const) {
        await page.mouse.move(x + width * across, y + height * down, { steps: 4 });
      }
      await page.mouse.up();
      await page.getByText('in the area').waitFor();
      const left = await chosen(page);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(all);
      await page.reload();
      await page.getByText('in the area').waitFor(WHOLE);
      expect(await chosen(page)).toBe(left);
      await page.keyboard.press('Escape');
      await expect.poll(() => chosen(page), SOON).toBe(all);

      await canvas.focus();
      for (let turn = 0; turn < 3; turn += 1) await page.keyboard.press('+');
      await page.keyboard.press('v');
      await expect.poll(() => chosen(page), SOON).toBeLessThan(all);
      await page.getByRole('button', { name: 'Clear the area' }).click();
      await expect.poll(() => chosen(page), SOON).toBe(all);
    });

    it('opens a memory from the list by keys, and from the map by a press', async () => {
      const page = await visit('/inspect/map');
      await list(page).locator('li').first().waitFor(WHOLE);
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'Memory' }).getByText('Reading note').first().waitFor();
      expect(page.url()).toContain('entry=');
      await page.keyboard.press('Escape');
      await list(page).waitFor();

      await pressUntil(page, POINT_SIZE, 'entry=');
    });

    it('stays quick with fifty thousand points', async () => {
      const page = await visit('/inspect/search');
      const answer = bigMap(50_000);
      await page.route('**/v1/memory/map*', (route) => route.fulfill({ json: answer }));
      await page.getByRole('link', { name: 'Map' }).click();
      await page.getByText('50,000 of 50,000 memories').waitFor(WHOLE);
      expect(await list(page).locator('li').count()).toBeLessThan(60);
      await page.goto(`${world().url}/inspect/map?area=-1,-1;0,-1;0,1;-1,1`);
      await page.getByText('in the area').waitFor(WHOLE);
      expect(await chosen(page)).toBeLessThan(30_000);
    });

    it('says what happened, and how to begin', async () => {
      const page = await visit('/inspect/search');
      await page.route('**/v1/memory/map*', (route) => route.abort());
      await page.getByRole('link', { name: 'Map' }).click();
      await page.getByRole('alert').waitFor();
      await page.unroute('**/v1/memory/map*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await list(page).locator('li').first().waitFor(WHOLE);
      await page.route('**/v1/memory/map*', (route) =>
        route.fulfill({ json: { status: 'ready', progress: 1, is_stale: false, total: 0, points: emptyPoints() } }),
      );
      await page.reload();
      await page.getByText('Nothing to draw yet').waitFor();
      expect(await page.locator('.command').textContent()).toContain('curl');
    });
  });
}

function emptyPoints(): unknown {
  return { ids: [], x: [], y: [], layers: [], kinds: [], created_at: [], labels: [] };
}
