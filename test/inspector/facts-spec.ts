/** Facts in the inspector: the graph, a walk along it, what held at another time, and the list that says the same. */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { memoryOf, SOON, visit, world } from './browser.ts';
import { painted, pressUntil } from './canvas.ts';

const MANY = 3000;

/** Pixels: what is painted so far in either direction is a node, and no line or letter. */
const NODE_SIZE = 8;

function list(page: Page): ReturnType<Page['getByRole']> {
  return page.getByRole('group', { name: 'Subjects and objects' });
}

/** Three thousand things that hang together, in a project of their own. */
async function addMany(): Promise<void> {
  const { facts } = memoryOf();
  const all = Array.from({ length: MANY }, (_, at) => ({
    factType: ['module', 'service', 'team'][at % 3] ?? '',
    subject: `part-${at + 1}`,
    predicate: 'depends_on',
    object: `part-${Math.floor(at / 3)}`,
    layer: 'project' as const,
    identifiers: { projectId: 'atlas' },
  }));
  for (let at = 0; at < all.length; at += 1000) await facts.addMany({ facts: all.slice(at, at + 1000) });
}

export function factsSpec(): void {
  describe('facts in the inspector', () => {
    it('draws what holds now, and lists it with the most connected first', async () => {
      const page = await visit('/inspect/facts');
      await page.getByText('27 facts about 18 things, now').waitFor();
      expect(await list(page).locator('li').first().textContent()).toContain('api');
      await expect.poll(() => painted(page), SOON).toBeGreaterThan(1000);
      expect(await page.getByRole('list', { name: 'Colours' }).textContent()).toContain('software');
      await page.getByRole('button', { name: 'Options' }).click();
      await page.getByLabel('project id').fill('apollo');
      await page.getByLabel('project id').press('Enter');
      await page.getByText('30 facts about 20 things, now').waitFor();
    });

    it('shows one thing: what it says, what is said of it, and what held at other times', async () => {
      const page = await visit('/inspect/facts');
      await list(page).getByRole('link', { name: /^api/ }).click();
      const detail = page.getByRole('region', { name: 'api' });
      await detail.getByText('runs on postgres-17').waitFor();
      await detail.getByText('web calls api').waitFor();
      expect(await detail.textContent()).toContain('At other times 2');
      await detail.getByRole('link', { name: 'web' }).click();
      await page.getByRole('region', { name: 'web' }).getByText('hosted at Dublin').waitFor();
      await page.goBack();
      await detail.getByText('payments calls api').waitFor();
      expect(new URL(page.url()).searchParams.get('node')).toBe('api');
    });

    it('goes back in time by the slider, the buttons and keys, and keeps the time in the address', async () => {
      const page = await visit('/inspect/facts?node=api');
      const detail = page.getByRole('region', { name: 'api' });
      await detail.getByText('runs on postgres-17').waitFor();
      await page.getByRole('button', { name: 'The change before' }).click();
      await page.keyboard.press('[');
      await page.keyboard.press('[');
      await detail.getByText('runs on postgres-16').first().waitFor();
      expect(await detail.locator('.fact-row').first().textContent()).not.toContain('postgres-17');
      const at = new URL(page.url()).searchParams.get('at');
      expect(Date.parse(at ?? '')).toBeLessThan(Date.now() - 7 * 86_400_000);

      const slider = page.getByRole('slider', { name: 'As of' });
      await slider.focus();
      await slider.press('Home');
      await page.getByText(/1 fact about 2 things, on|2 facts about 3 things, on/).waitFor();
      await page.reload();
      await page.getByText(/1 fact about 2 things, on|2 facts about 3 things, on/).waitFor();
      await page.getByRole('button', { name: 'Now', exact: true }).click();
      await page.getByText('27 facts about 18 things, now').waitFor();
      expect(page.url()).not.toContain('at=');
    });

    it('walks from a subject that is searched for, and opens one after the other', async () => {
      const page = await visit('/inspect/facts');
      await list(page).locator('li').first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('ledg');
      await expect.poll(() => list(page).locator('li').count(), SOON).toBe(1);
      await page.keyboard.press('Enter');
      await page.getByText('4 facts about 5 things, now · from ledger').waitFor();
      const detail = page.getByRole('region', { name: 'ledger' });
      await detail.getByRole('link', { name: 'payments' }).click();
      await page.keyboard.press('e');
      await page.getByText('9 facts about 9 things, now · from ledger').waitFor();
      await page.reload();
      await page.getByText('9 facts about 9 things, now · from ledger').waitFor();
      await page.getByRole('button', { name: 'Collapse' }).click();
      await page.getByText('4 facts about 5 things, now · from ledger').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.getByText('27 facts about 18 things, now').waitFor();
    });

    it('can be read and moved about in with the pointer', async () => {
      const page = await visit('/inspect/facts?from=Dublin');
      await page.getByText('1 fact about 2 things, now · from Dublin').waitFor();
      const canvas = page.locator('.stage-canvas');
      await pressUntil(page, NODE_SIZE, 'node=');
      const before = await painted(page);
      await canvas.hover({ position: { x: 300, y: 300 } });
      await page.mouse.wheel(0, -400);
      await expect.poll(() => painted(page), SOON).not.toBe(before);
      await page.getByRole('button', { name: 'Show all' }).click();
      await canvas.focus();
      await page.keyboard.press('+');
      await page.keyboard.press('ArrowLeft');
    });

    it('stays quick with three thousand things', async () => {
      await addMany();
      const page = await visit('/inspect/facts?project=atlas&node=part-7');
      await page.getByText(/3,027 facts about 3,0\d\d things, now$/).waitFor();
      const detail = page.getByRole('region', { name: 'part-7' });
      await detail.getByText('depends on part-2').waitFor();
      await page.getByRole('link', { name: 'All' }).click();
      expect(await list(page).locator('li').count()).toBeLessThan(60);
      // It answers while it still finds its places.
      const started = Date.now();
      await page.getByRole('button', { name: 'Nearer' }).click();
      await page.keyboard.press('j');
      expect(Date.now() - started).toBeLessThan(5000);
      await expect.poll(() => painted(page), SOON).toBeGreaterThan(10_000);
    });

    it('says what happened, and how to begin', async () => {
      const page = await visit('/inspect/search');
      await page.route('**/v1/memory/facts?*', (route) => route.abort());
      await page.getByRole('link', { name: 'Facts' }).click();
      await page.getByRole('alert').waitFor();
      await page.unroute('**/v1/memory/facts?*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await list(page).locator('li').first().waitFor();
      await page.goto(`${world().url}/inspect/facts?from=nobody`);
      await page.getByText('Nothing is known about “nobody”').waitFor();
      expect(await page.locator('.command').textContent()).toContain('/v1/memory/facts');
    });
  });
}
