/** What belongs to every page of the inspector: signing in, who one is, keys, themes, errors, phones, weight. */

import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { PAGES } from './pages.ts';
import { expectAccessible, SOON, visit, world } from './browser.ts';

const SECRET = 'a secret of which nobody knows anything';

export function shellSpec(): void {
  describe('the shell of the inspector', () => {
    it('goes everywhere by keys, and back', async () => {
      const page = await visit('/inspect/browse');
      await page.locator('.entry-row').first().waitFor();
      for (const { key, path } of PAGES) {
        // Again until it works: a page that has just come may take the focus into its own field.
        const press = async (): Promise<string> => {
          for (const one of ['Escape', 'g', key]) await page.keyboard.press(one);
          return new URL(page.url()).pathname;
        };
        await expect.poll(press, SOON).toBe(path);
      }
      await page.goBack();
      await expect.poll(() => new URL(page.url()).pathname, SOON).toBe(PAGES.at(-2)?.path);
    });

    it('tells its keys, closes with Escape, and gives the focus back', async () => {
      const page = await visit('/inspect/browse');
      await page.locator('.entry-row').first().waitFor();
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keys' });
      expect(await dialog.textContent()).toContain('Next memory');
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    });

    it('looks as somebody else, who sees only what is theirs', async () => {
      const page = await visit('/inspect/browse');
      await page.locator('.entry-row').first().waitFor();
      await page.getByRole('button', { name: 'Operator' }).click();
      await page.getByRole('textbox', { name: 'User' }).fill('zoe');
      await page.getByRole('button', { name: 'Look as this user' }).click();
      await page.getByText('Nothing in user with these filters').waitFor();
      expect(await page.locator('.command pre').textContent()).toContain('X-User-ID: zoe');
      await page.reload();
      await page.getByRole('button', { name: 'zoe' }).waitFor();
    });

    it('switches between light and dark, and remembers it', async () => {
      const page = await visit('/', { colorScheme: 'light' });
      const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await ground();
      await page.getByRole('button', { name: /^Theme: system/ }).click();
      await page.getByRole('button', { name: /^Theme: light/ }).click();
      expect(await ground()).not.toBe(light);
      await page.reload();
      await page.getByRole('button', { name: /^Theme: dark/ }).waitFor();
      expect(await ground()).not.toBe(light);
    });

    it('says what went wrong, by which request, and tries again', async () => {
      const page = await visit('/inspect/browse?layer=user', {});
      await page.route('**/v1/memory/entries?*', (route) => route.abort());
      await page.reload();
      await page.getByText('UNAVAILABLE').waitFor();
      await page.unroute('**/v1/memory/entries?*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.entry-row').first().waitFor();
      await page.goto(`${world().url}/inspect/entries/not-an-id`);
      await page.getByText('VALIDATION_FAILED').waitFor();
      await page.goto(`${world().url}/inspect/entries/01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88`);
      await page.getByText(/^Request/).waitFor();
      await page.goto(`${world().url}/inspect/nowhere`);
      await page.getByText('There is no such page').waitFor();
    });

    it('waits where the service asks for it, then goes on by itself', async () => {
      const page = await visit('/inspect/search');
      let asked = 0;
      await page.route('**/v1/memory/entries?*', async (route) => {
        asked += 1;
        if (asked > 1) return route.continue();
        const details = { limit: 60, retry_after_ms: 900, retryAfterMs: 900 };
        const body = {
          code: 'RATE_LIMITED',
          message: 'Too many requests.',
          operation: 'list',
          retryable: true,
          details,
        };
        return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: body });
      });
      await page.getByRole('link', { name: 'Browse' }).click();
      await page.getByText('Tries again by itself in 1 s.').waitFor();
      await page.locator('.entry-row').first().waitFor();
      expect(asked).toBe(2);
    });

    it('asks to sign in again when the credential is no longer good', async () => {
      const page = await visit('/inspect/search');
      await page.route('**/v1/memory/entries?*', (route) =>
        route.fulfill({
          status: 401,
          json: { code: 'UNAUTHORIZED', message: 'The token has expired.', operation: 'list', retryable: false },
        }),
      );
      await page.getByRole('link', { name: 'Browse' }).click();
      await page.getByRole('dialog').getByText('The token has expired.').waitFor();
      await page.getByLabel('Token or API key').waitFor();
    });

    it('gives times in the zone of the viewer', async () => {
      const page = await visit(`/inspect/entries/${world().ids.edited}`, {
        timezoneId: 'Asia/Tokyo',
        locale: 'en-GB',
      });
      expect(await page.locator('time').first().getAttribute('title')).toMatch(/GMT\+9|JST/);
    });

    it('asks for a credential, refuses a wrong one, keeps a right one in memory only', async () => {
      const url = await world().serve({ LAMINA_AUTH: 'jwt', LAMINA_JWT_SECRET: SECRET });
      const page = await visit('/inspect/browse', {}, url);
      const field = page.getByLabel('Token or API key');
      await field.fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').filter({ hasText: /token/i }).first().waitFor();
      await page.getByText('Credential refused').waitFor();
      const token = await new SignJWT({ tenant_id: '00000000-0000-0000-0000-000000000000', roles: ['member'] })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('local')
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(SECRET));
      await field.fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('.entry-row').first().waitFor();
      await page.getByRole('button', { name: 'Signed in' }).waitFor();
      const stored = await page.evaluate(() =>
        JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
      );
      expect(stored).not.toContain(token);
      expect(page.url()).not.toContain(token);
      await page.reload();
      await field.waitFor();
    });
  });
}
