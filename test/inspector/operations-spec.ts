/** The operations page: counts, traffic, maintenance, events, keys, health and erasure, as people use them. */

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Memory } from '../../src/operations/memory.ts';
import { expectAccessible, memoryOf, SOON, visit, world } from './browser.ts';
import { WILMA } from './seed-operations.ts';

const ROOT = '/inspect/operations';

function admin(): Memory {
  return memoryOf({ userId: 'local', roles: ['admin'] });
}

/** As a member, who is not an administrator. */
async function asMember(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.setItem('lamina.inspector.identity', JSON.stringify({ userId: 'zoe' })));
  await page.reload();
  await page.getByRole('button', { name: 'zoe' }).waitFor();
}

export function operationsSpec(): void {
  describe('operations', () => {
    it('counts by layer and kind, of the tenant or of what is mine, and draws how it grew', async () => {
      const page = await visit(ROOT);
      const all = await admin().stats({ of: 'tenant', days: 90 });
      const counts = page.getByRole('region', { name: 'Memories of the tenant' });
      await counts.getByRole('row', { name: /^user/ }).waitFor();
      expect(await counts.locator('header').textContent()).toContain(String(all.total));
      await page.getByRole('radio', { name: '90' }).check();
      await expect.poll(() => new URL(page.url()).search, SOON).toBe('?days=90');
      const created = all.growth.reduce((sum, day) => sum + day.created, 0);
      await page.getByRole('img', { name: new RegExp(`^${created} created`) }).waitFor();
      await page.getByRole('radio', { name: 'mine' }).check();
      const mine = page.getByRole('region', { name: 'Memories that you see' });
      await mine.getByRole('row', { name: /^user/ }).getByRole('link').first().click();
      await page.locator('.entry-row').first().waitFor();
      expect(new URL(page.url()).search).toContain('layer=user');
    });

    it('tells how each component is, and says so when one is not', async () => {
      const page = await visit(ROOT);
      const health = page.getByRole('region', { name: 'Health' });
      await health.getByRole('listitem').filter({ hasText: 'store' }).getByText('healthy').waitFor();
      await page.route('**/health', (route) =>
        route.fulfill({
          json: {
            status: 'degraded',
            latency_ms: 3,
            components: { store: { status: 'healthy' }, embedder: { status: 'degraded', message: 'No model.' } },
          },
        }),
      );
      await page.reload();
      await health.getByText('No model.').waitFor();
    });

    it('shows rates and latencies of operations, and which failed', async () => {
      await admin().search({ query: 'green tea' });
      await admin()
        .search({ query: '' })
        .catch(() => undefined);
      const page = await visit(`${ROOT}/traffic`);
      const table = page.getByRole('region', { name: 'Operations, rates and latencies' });
      expect(await table.getByRole('row', { name: /^search/ }).textContent()).toMatch(/ ms|s/);
      await page.getByRole('row', { name: /VALIDATION_FAILED.*search/ }).waitFor();
      await page.getByRole('radio', { name: 'since start' }).check();
      await expect.poll(() => new URL(page.url()).search, SOON).toBe('?span=start');
      await page.getByRole('img', { name: /requests per second now/ }).waitFor();
    });

    it('looks what a job would do, does it, and takes it back', async () => {
      const zoe = memoryOf({ userId: 'yann' });
      for (const content of ['Yann plays the cello in the evening.', 'Yann plays the cello in the evenings.']) {
        await zoe.add({ content, layer: 'user' });
      }
      const page = await visit(`${ROOT}/maintenance`);
      await page.getByRole('button', { name: 'Dry run: deduplication' }).click();
      await page.getByRole('region', { name: 'What it would do' }).getByRole('link').first().waitFor();
      await page.getByText('completed, dry run').waitFor();
      expect(await page.getByRole('button', { name: 'Undo the run' }).count()).toBe(0);
      await page.getByRole('link', { name: 'All runs' }).click();
      await page.getByRole('button', { name: 'Run now: deduplication' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
      const did = page.getByRole('region', { name: 'What it did' });
      await did.getByText('merged').first().waitFor();
      await expect.poll(async () => (await zoe.list({ layer: 'user' })).memories.length, SOON).toBe(1);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Undo the run' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Undo the run' }).click();
      await page.getByRole('region', { name: 'Undone' }).waitFor();
      expect((await zoe.list({ layer: 'user' })).memories).toHaveLength(2);
      await page.goto(`${world().url}${ROOT}/maintenance?status=undone`);
      await page.locator('.run-link').filter({ hasText: 'undone' }).waitFor();
    });

    it('refuses a job that is off with what the service says', async () => {
      const page = await visit(`${ROOT}/maintenance`);
      await page.getByRole('button', { name: 'Run now: distillation' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
      await page.getByText(/distillation is off/).waitFor();
    });

    it('shows events as they come, pauses, filters, and goes on where it was left', async () => {
      const page = await visit(`${ROOT}/events`);
      await page.getByRole('status').getByText('live').waitFor();
      await page.getByText('nothing has happened since you came').waitFor();
      const { memory } = await admin().add({ content: 'The lighthouse blinks twice.', layer: 'user' });
      const rows = page.locator('.event-link');
      await rows.filter({ hasText: 'The lighthouse blinks twice.' }).waitFor();
      await page.keyboard.press('p');
      await admin().update({ id: memory.id, content: 'The lighthouse blinks three times.' });
      await page.getByText('paused, 1 waiting').waitFor();
      expect(await rows.count()).toBe(1);
      await page.keyboard.press('p');
      await rows.nth(1).waitFor();
      await page.getByText('updated', { exact: true }).first().click();
      await expect.poll(() => rows.count(), SOON).toBe(1);
      expect(new URL(page.url()).search).toBe('?types=updated');
      await rows.first().click();
      await page.getByText('blinks three times').first().waitFor();
      await admin().delete({ id: memory.id });
      await page.goBack();
      await page.getByText('updated', { exact: true }).first().click();
      await rows.filter({ hasText: 'deleted' }).waitFor();
      expect(await rows.count()).toBe(3);
    });

    it('says when it is cut off from the stream, and is live again by itself', async () => {
      const page = await visit('/inspect/search');
      await page.route('**/v1/memory/events?*', (route) => route.abort());
      await page.goto(`${world().url}${ROOT}/events`);
      const status = page.getByRole('status');
      await status.getByText('cut off, trying again').waitFor();
      await page.unroute('**/v1/memory/events?*');
      await status.getByText('live').waitFor();
    });

    it('makes a key whose secret is shown once, and revokes it', async () => {
      const page = await visit(`${ROOT}/keys`);
      await page.getByRole('row', { name: /old laptop.*revoked/ }).waitFor();
      await page.keyboard.press('n');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('end to end');
      await dialog.getByLabel('Speaks for user').fill('zoe');
      await dialog.getByLabel('Valid for').selectOption('30');
      await dialog.getByRole('button', { name: 'Make the key' }).click();
      const secret = (await dialog.locator('.secret').textContent()) ?? '';
      expect(secret).toMatch(/^lam_/);
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await dialog.getByRole('alert').waitFor();
      await dialog.getByRole('button', { name: 'I have kept it' }).click();
      const row = page.getByRole('row', { name: /end to end/ });
      await row.getByText('valid').waitFor();
      expect(await page.content()).not.toContain(secret);
      const kept = await page.evaluate(() =>
        JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
      );
      expect(kept).not.toContain(secret);
      await row.getByRole('button', { name: 'Revoke end to end' }).click();
      await dialog.getByRole('button', { name: 'Revoke the key' }).click();
      await row.getByText('revoked').waitFor();
      const { keys } = await admin().keys.list({});
      expect(keys.find(({ name }) => name === 'end to end')?.revokedAt).toBeDefined();
    });

    it('erases a person only after the name was typed, gives a receipt, and verifies it', async () => {
      const page = await visit(`${ROOT}/erasure`);
      await page.getByRole('textbox', { name: 'User' }).fill(WILMA);
      await page.getByRole('button', { name: 'Erase this user…' }).click();
      const dialog = page.getByRole('dialog');
      const go = dialog.getByRole('button', { name: 'Erase for good' });
      await dialog.getByRole('textbox').fill('wilm');
      expect(await go.isDisabled()).toBe(true);
      await expectAccessible(page);
      await dialog.getByRole('textbox').fill(WILMA);
      await go.click();
      const receipt = page.getByRole('region', { name: 'Receipt' });
      await receipt.getByText('entries').waitFor();
      await page.getByRole('button', { name: 'Verify the log' }).click();
      await page.getByText(/^Unchanged: \d+ linked entries/).waitFor();
      await page.getByRole('button', { name: 'Verify', exact: true }).click();
      await page.getByText('Nothing is left').waitFor();
      await expectAccessible(page);
      // The address alone says no name: whoever follows it has to know it.
      await page.reload();
      await receipt.getByText('Hash of the receipt').waitFor();
      expect(await page.content()).not.toContain(WILMA);
      await page.getByRole('textbox', { name: 'User' }).fill('somebody else');
      await page.getByRole('button', { name: 'Verify', exact: true }).click();
      await page.getByRole('alert').waitFor();
      expect((await admin().stats({ of: 'tenant' })).total).toBeGreaterThan(0);
    });

    it('erases the tenant, and says how much that was', async () => {
      const tenantId = '6f1c9a52-3c0e-4c55-9d7b-2f4f3f0f9a11';
      const other = memoryOf({ tenantId, userId: 'root', roles: ['admin'] });
      await other.add({ content: 'Only here for a moment.', layer: 'user' });
      const page = await visit('/inspect/search');
      await page.evaluate(
        (id) =>
          localStorage.setItem(
            'lamina.inspector.identity',
            JSON.stringify({ tenantId: id, userId: 'root', isAdmin: true }),
          ),
        tenantId,
      );
      await page.goto(`${world().url}${ROOT}/erasure`);
      await page.getByRole('button', { name: 'Erase the tenant…' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill(tenantId);
      await page.getByRole('dialog').getByRole('button', { name: 'Erase for good' }).click();
      await page.getByRole('region', { name: 'Receipt' }).getByText('a tenant').waitFor();
      await page.getByRole('button', { name: 'Verify', exact: true }).click();
      await page.getByText('Nothing is left').waitFor();
      expect((await other.stats({})).total).toBe(0);
    });

    it('tells a member in plain words what takes the role, and shows what does not', async () => {
      const page = await visit(ROOT);
      await asMember(page);
      const seen = page.getByRole('region', { name: 'Memories that you see' });
      await seen.getByRole('row', { name: /^project/ }).waitFor();
      expect(await seen.getByRole('row', { name: /^user/ }).count()).toBe(0);
      for (const part of ['?of=tenant', '/traffic', '/maintenance', '/keys', '/erasure']) {
        await page.goto(`${world().url}${ROOT}${part}`);
        await page.getByText('is for administrators of the tenant').first().waitFor();
      }
      await expectAccessible(page);
      expect(await page.getByRole('button', { name: /^Erase/ }).count()).toBe(0);
    });

    it('is walked by keys', async () => {
      const page = await visit(ROOT);
      await page.getByRole('heading', { name: 'Operations', exact: true }).first().waitFor();
      await page.keyboard.press('3');
      await expect.poll(() => new URL(page.url()).pathname, SOON).toBe(`${ROOT}/maintenance`);
      await page.locator('.run-link').first().waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'All runs' }).waitFor();
    });
  });
}
