/** Every page of the inspector for everybody: axe in light and dark, and on a phone. */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectAccessibleInBoth, visit, world } from './browser.ts';

const PHONE = { width: 360, height: 720 };
const MAP_MS = 45_000;

/** What to look at, and what is there once it is whole. `ENTRY` is a memory with a history, `HELD` one that waits for review. */
const VIEWS = [
  ['/inspect/search', '.start-overview .panel-body'],
  ['/inspect/search?q=tea&threshold=0.2&project=apollo&compare=1&b.mode=keyword', '[aria-label=B] .result'],
  ['/inspect/browse?entry=ENTRY', '[aria-label="Nearest in meaning"] li'],
  ['/inspect/entries/ENTRY', '[aria-label="Nearest in meaning"] li'],
  ['/inspect/entries/HELD', '.review'],
  ['/inspect/turn', '.turn-examples'],
  ['/inspect/turn?q=What+does+Ada+drink%3F&threshold=0.3&agent=scribe&recent=2&budget=120', 'a.receipt-label'],
  ['/inspect/agents/plans/tea-market', 'table.values'],
  ['/inspect/agents/sessions/sess-release', '[aria-label="Session sess-release"] a'],
  ['/inspect/agents/pools/launch-team', 'table.access'],
  ['/inspect/agents/contexts/atlas', 'ins'],
  ['/inspect/facts', '[aria-label="Subjects and objects"] li'],
  ['/inspect/facts?from=api&node=Ada&open=Ada&project=apollo', '.fact-row'],
  ['/inspect/map?colour=age&area=-1,-1;1,-1;1,1;-1,1', '[aria-label="Memories on the map"] li'],
  ['/inspect/operations', '.counts-table'],
  ['/inspect/operations/traffic', '.rates-table'],
  ['/inspect/operations/maintenance', '.run-link'],
  ['/inspect/operations/events', '[role=status]'],
  ['/inspect/operations/keys', '.keys-table'],
  ['/inspect/operations/erasure', '.panel-body'],
] as const;

export function accessibilitySpec(): void {
  describe('for everybody', () => {
    it.each(VIEWS)('%s is accessible in light and dark, and fits a phone', async (path, whole) => {
      const page = await visit(path.replace('ENTRY', world().ids.edited).replace('HELD', world().ids.held), {
        colorScheme: 'light',
      });
      await page.locator(whole).first().waitFor({ timeout: MAP_MS });
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      await expectAccessibleInBoth(page);
      await expectToFit(page);
    });
  });
}

async function expectToFit(page: Page): Promise<void> {
  await page.setViewportSize(PHONE);
  await expect.poll(() => page.evaluate(widest)).toBeLessThanOrEqual(PHONE.width);
  expect((await page.getByRole('navigation', { name: 'Pages' }).boundingBox())?.y).toBeGreaterThan(600);
}

/** In the browser: how wide the page is, with what can be scrolled within it. */
function widest(): number {
  const parts = [document.documentElement, ...document.querySelectorAll('main, .split-main, .split-side, .page')];
  return Math.max(...parts.map(({ scrollWidth }) => scrollWidth));
}
