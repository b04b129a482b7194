/** The turn preview of the inspector: the exact block, its budget, its receipt. */

import { describe, expect, it } from 'vitest';
import { memoryOf, SOON, visit, world } from './browser.ts';

const MESSAGE = 'What should I order for Ada to drink?';
const FULL = `/inspect/turn?${new URLSearchParams({ q: MESSAGE, threshold: '0.3', agent: 'scribe', recent: '2' }).toString()}`;

export function turnSpec(): void {
  describe('turn preview in the inspector', () => {
    it('shows the block as an agent is given it, as one types, with the message in the address', async () => {
      const page = await visit('/inspect/turn');
      await page.getByText('What would an agent know at this turn?').waitFor();
      await page.getByLabel('What the user says').pressSequentially(MESSAGE, { delay: 5 });
      const block = page.getByRole('group', { name: 'The block' });
      await expect.poll(() => block.innerText(), SOON).toContain(`[User Message]\n${MESSAGE}`);
      const asked = memoryOf();
      const { prompt } = await asked.turnContext({ message: MESSAGE, preview: true });
      expect((await block.innerText()).replaceAll('\u200b', '').trim()).toBe(prompt);
      await expect.poll(() => new URL(page.url()).searchParams.get('q'), SOON).toBe(MESSAGE);
    });

    it('draws the budget with its parts', async () => {
      const page = await visit(FULL);
      const budget = page.getByRole('region', { name: 'Token budget' });
      const bar = await budget.getByRole('img').getAttribute('aria-label');
      expect(bar).toMatch(/^\d+ of 2000 tokens used: memories \d+.*conversation \d+.*headings \d+; \d+ left$/);
      const widths = await budget
        .locator('.budget-bar i')
        .evaluateAll((parts) => parts.map((part) => part.clientWidth));
      expect(Math.min(...widths)).toBeGreaterThan(0);
    });

    it('says what was left out and why, by the options', async () => {
      const page = await visit(FULL);
      const receipt = page.getByRole('region', { name: 'Receipt' });
      await receipt.getByText('too sensitive for a prompt').waitFor();
      expect(await receipt.textContent()).not.toContain('hazelnuts');
      await page.getByRole('button', { name: 'Options' }).click();
      await page.getByRole('spinbutton', { name: 'Token budget' }).fill('60');
      await receipt.getByText('did not fit into the budget').waitFor();
      await receipt.getByRole('link', { name: /Ada/ }).first().waitFor();
      expect(new URL(page.url()).searchParams.get('budget')).toBe('60');
      await page.getByLabel('Working memory of').fill('tea-market');
      await page.getByRole('spinbutton', { name: 'Token budget' }).fill('2000');
      await page.locator('.turn-item', { hasText: '- step: 3' }).waitFor();
    });

    it('leads from a line to its memory by keys, and looking counts as no access', async () => {
      const page = await visit(FULL);
      const line = page.locator('a.turn-item').first();
      await line.waitFor();
      await page.getByLabel('What the user says').press('Escape');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      const beside = page.getByRole('complementary', { name: 'Memory' });
      await beside.getByRole('heading', { level: 2 }).first().waitFor();
      const id = new URL(page.url()).searchParams.get('entry') ?? '';
      const { accessCount } = await memoryOf().decay({ id });
      expect(accessCount).toBe(id === world().ids.edited ? world().ids.reads : 0);
      await page.keyboard.press('Escape');
      await beside.waitFor({ state: 'detached' });
    });

    it('shows what is remembered as text, never as HTML', async () => {
      const page = await visit('/inspect/turn?q=script+alert+bold&threshold=0.1');
      const line = page.locator('.turn-item', { hasText: '<script>alert(1)</script>' });
      await line.waitFor();
      expect(await line.locator('b, script').count()).toBe(0);
    });

    it('says what the service refuses', async () => {
      const page = await visit('/inspect/turn?q=tea&session=s1&project=%20');
      await page.route('**/turn-context', (route) =>
        route.fulfill({
          status: 403,
          json: { code: 'FORBIDDEN', message: 'Not for you.', operation: 'turnContext', retryable: false },
        }),
      );
      await page.getByLabel('What the user says').fill('tea again');
      await page.getByRole('alert').getByText('FORBIDDEN').waitFor();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    });
  });
}
