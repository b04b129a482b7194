/** What belongs to every page of the inspector: signing in, who one is, keys, themes, errors, phones, weight. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { PAGES } from './inspector-pages.ts';
import { expectAccessible, hasNoBrowser, openForAll, SLOW_MS, SOON, type Inspector } from './inspector-browser.ts';
import type { World } from './inspector-world.ts';

const SECRET = 'a secret of which nobody knows anything';
const KB = 1024;

let world: World;
let inspector: Inspector;

describe.skipIf(hasNoBrowser)('the shell of the inspector', { timeout: SLOW_MS }, () => {
  openForAll((opened) => {
    ({ world, inspector } = opened);
  });

  it('goes everywhere by keys, and back', async () => {
    const page = await inspector.visit('/inspect/browse');
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
    const page = await inspector.visit('/inspect/browse');
    await page.locator('.entry-row').first().waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    expect(await dialog.textContent()).toContain('Next memory');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('looks as somebody else, who sees only what is theirs', async () => {
    const page = await inspector.visit('/inspect/browse');
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
    const page = await inspector.visit('/', { colorScheme: 'light' });
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
    const page = await inspector.visit('/inspect/browse?layer=user', {});
    await page.route('**/v1/memory/entries?*', (route) => route.abort());
    await page.reload();
    await page.getByText('UNAVAILABLE').waitFor();
    await page.unroute('**/v1/memory/entries?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.entry-row').first().waitFor();
    await page.goto(`${world.url}/inspect/entries/not-an-id`);
    await page.getByText('VALIDATION_FAILED').waitFor();
    await page.goto(`${world.url}/inspect/entries/01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88`);
    await page.getByText(/^Request/).waitFor();
    await page.goto(`${world.url}/inspect/nowhere`);
    await page.getByText('There is no such page').waitFor();
  });

  it('gives times in the zone of the viewer', async () => {
    const page = await inspector.visit(`/inspect/entries/${world.ids.edited}`, {
      timezoneId: 'Asia/Tokyo',
      locale: 'en-GB',
    });
    expect(await page.locator('time').first().getAttribute('title')).toMatch(/GMT\+9|JST/);
  });

  it.each(PAGES)('$title is accessible in light and dark, and fits a phone', async ({ path }) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await inspector.visit(path, { colorScheme });
      await page.locator('main h1, main h2').first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle');
      await expectAccessible(page);
    }
    const phone = await inspector.visit(path, {
      viewport: { width: 360, height: 720 },
      isMobile: true,
      hasTouch: true,
    });
    await phone.locator('main h1, main h2').first().waitFor({ state: 'attached' });
    await phone.waitForLoadState('networkidle');
    expect(await phone.evaluate(widest)).toBeLessThanOrEqual(360);
    expect((await phone.getByRole('navigation', { name: 'Pages' }).boundingBox())?.y).toBeGreaterThan(600);
  });

  it('weighs less than 300 KB on the first load, and nothing comes from elsewhere', async () => {
    const page = await inspector.visit('/');
    await page.waitForLoadState('networkidle');
    const names = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(names.every((name) => name.startsWith(world.url))).toBe(true);
    const files = names.map((name) => new URL(name).pathname).filter((path) => !path.startsWith('/v1'));
    const sizes = await Promise.all(
      files.map(async (file) => gzipSync(await readFile(join('dist/inspector', file))).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300 * KB);
    expect((await readdir('dist/inspector/assets')).some((file) => file.endsWith('.map'))).toBe(false);
  });
});

/** In the browser: how wide the page is, with what can be scrolled within it. */
function widest(): number {
  const parts = [document.documentElement, ...document.querySelectorAll('main, .split-main, .split-side, .page')];
  return Math.max(...parts.map(({ scrollWidth }) => scrollWidth));
}

describe.skipIf(hasNoBrowser)('the inspector of a service with authentication', { timeout: SLOW_MS }, () => {
  let browser: Inspector;

  openForAll(
    (opened) => {
      ({ inspector: browser } = opened);
    },
    { LAMINA_AUTH: 'jwt', LAMINA_JWT_SECRET: SECRET },
  );

  it('asks for a credential, refuses a wrong one, keeps a right one in memory only', async () => {
    const page = await browser.visit('/inspect/browse');
    const field = page.getByLabel('Token or API key');
    await field.fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: /token/i }).first().waitFor();
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
