/** Search in the inspector: as one types, with reasons, compared, by keyboard. */

import { describe, expect, it } from 'vitest';
import { SOON, visit } from './browser.ts';

export function searchSpec(): void {
  describe('search in the inspector', () => {
    it('finds as one types, marks the words, says why, and keeps the query in the address', async () => {
      const page = await visit('/');
      await page
        .getByRole('searchbox', { name: 'Search memory' })
        .pressSequentially('does Ada drink tea', { delay: 20 });
      await expect.poll(() => new URL(page.url()).searchParams.get('q'), SOON).toBe('does Ada drink tea');
      expect(new URL(page.url()).pathname).toBe('/inspect/search');
      const first = page.locator('.result').first();
      // The first searches may go by words alone: the model has to start.
      const signals = first.getByRole('img', { name: /Signals:/ });
      await expect
        .poll(async () => {
          await page.reload();
          return signals.getAttribute('aria-label');
        }, SOON)
        .toMatch(/text \+.*vector \+/);
      expect(await first.locator('mark').allTextContents()).toContain('tea');
      expect(await first.locator('.result-score').textContent()).toMatch(/^[01]\.\d\d$/);
      expect(await first.locator('.signal-numbers').textContent()).toContain('vector');
    });

    it('says what was left out and why, and opens it', async () => {
      const page = await visit('/inspect/search?q=green+tea&limit=1&threshold=0.2');
      await page.getByText(/^Left out:/).click();
      await page.locator('.left-out li').first().waitFor();
      expect(await page.locator('.left-out summary').textContent()).toMatch(/below the threshold|past the limit/);
      await page.locator('.left-out li a').first().click();
      await page.getByRole('complementary', { name: 'Memory' }).getByRole('heading', { level: 2 }).first().waitFor();
      expect(new URL(page.url()).searchParams.get('entry')).toMatch(/^[\da-f-]{36}$/);
    });

    it('keeps what is too sensitive out of sight, and counts it', async () => {
      const page = await visit('/inspect/search?q=hazelnuts+allergic&threshold=0.2&sensitivity=internal');
      await page.getByText(/withheld/).waitFor();
      expect(await page.locator('.result', { hasText: 'hazelnuts' }).count()).toBe(0);
    });

    it('compares two settings and marks what moved', async () => {
      const page = await visit('/inspect/search?q=green+tea+coffee&threshold=0&limit=4');
      await page.getByRole('button', { name: 'Compare' }).click();
      const side = page.getByRole('region', { name: 'B' });
      await side.getByLabel('Mode').selectOption('keyword');
      await side.locator('.move').first().waitFor();
      expect(await side.locator('.move').allTextContents()).toSatisfy((texts: string[]) =>
        texts.every((text) => /^([↑↓]\d+|=|new|gone)$/.test(text)),
      );
      expect(new URL(page.url()).searchParams.get('b.mode')).toBe('keyword');
    });

    it('goes by keys: slash, enter, j, enter, escape', async () => {
      const page = await visit('/inspect/search?q=tea&threshold=0.2');
      await page.locator('.result').nth(1).waitFor();
      await page.getByRole('searchbox').press('Escape');
      await page.keyboard.press('/');
      expect(await page.getByRole('searchbox').evaluate((field) => field === document.activeElement)).toBe(true);
      await page.keyboard.press('Enter');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('complementary', { name: 'Memory' }).waitFor();
      const second = await page.locator('.result-link').nth(1).textContent();
      await expect.poll(() => page.locator('.split-side .entry-content').textContent(), SOON).toBe(second);
      await page.keyboard.press('Escape');
      await page.getByRole('complementary').waitFor({ state: 'detached' });
      await page.goBack();
      await page.getByRole('complementary').waitFor();
    });

    it('shows what is remembered as text, never as HTML', async () => {
      const page = await visit('/inspect/search?q=script+alert+bold&threshold=0.1');
      const result = page.locator('.result', { hasText: '<script>alert(1)</script>' });
      await result.waitFor();
      expect(await result.locator('b:not(.numeric), script').count()).toBe(0);
    });
  });
}
