/** Agents at work in the inspector: plans, tasks, working memory, sessions, pools and contexts. */

import { describe, expect, it } from 'vitest';
import { memoryOf, SOON, visit, world } from './browser.ts';

const PLAN = '/inspect/agents/plans/tea-market';

export function agentsSpec(): void {
  describe('agents at work in the inspector', () => {
    it('lists plans by status, with a link to each', async () => {
      const page = await visit('/inspect/agents');
      const plans = page.getByRole('navigation', { name: 'Plans' });
      await plans.getByRole('link', { name: /ship-october completed/ }).waitFor();
      await plans.getByLabel('Status').selectOption('active');
      await plans.getByRole('link', { name: /ship-october/ }).waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('status')).toBe('active');
      await page.keyboard.press('Escape');
      await plans.getByRole('link', { name: /tea-market/ }).click();
      await page.getByRole('heading', { name: 'tea-market', level: 2 }).waitFor();
      expect(new URL(page.url()).pathname).toBe(PLAN);
    });

    it('draws the state machine with the current state, and moves with it', async () => {
      const page = await visit(PLAN);
      const machine = page.getByRole('img', { name: 'State machine, now in searching' });
      await machine.waitFor();
      expect(await machine.locator('.machine-state').allTextContents()).toHaveLength(5);
      expect(await machine.locator('.is-current text').textContent()).toBe('searching');
      expect(await page.getByRole('list', { name: 'Transitions' }).textContent()).toContain(
        'writing to searching on sources.thin',
      );
      await memoryOf().planContexts.update({ planId: 'tea-market', currentState: 'writing' });
      await page.getByRole('img', { name: 'State machine, now in writing' }).waitFor();
      await memoryOf().planContexts.update({ planId: 'tea-market', currentState: 'searching' });
    });

    it('draws the tree of tasks: waiting, back, and parts of parts', async () => {
      const page = await visit(PLAN);
      const tree = page.getByRole('list', { name: 'Tasks' });
      const search = tree.locator('> li', { hasText: 'task-search' });
      await search.waitFor();
      expect(await search.locator('> .task').textContent()).toContain('waiting: 1 of 3 back');
      expect(await search.locator('> ul > li', { hasText: 'task-web' }).textContent()).toContain('done');
      expect(await search.locator('li li', { hasText: 'task-photo' }).textContent()).toContain('waiting');
      expect(await tree.locator('> li', { hasText: 'task-outline' }).textContent()).toContain('running');
      await search.locator('li', { hasText: 'task-web' }).getByText('Result').click();
      await page.getByRole('region', { name: 'Of task-web' }).getByText('"found": 18').waitFor();
    });

    it('shows working memory as it changes', async () => {
      const page = await visit(PLAN);
      const row = page.getByRole('row', { name: /^step/ });
      await row.waitFor();
      await memoryOf().working.increment({ planId: 'tea-market', key: 'step' });
      await expect.poll(() => row.locator('td').first().textContent(), SOON).toBe('4');
      expect(await row.getAttribute('class')).toContain('is-fresh');
      await memoryOf().working.set({ planId: 'tea-market', key: 'note', value: 'hello' });
      await page.getByRole('row', { name: /^note "hello"/ }).waitFor();
      await page.getByRole('button', { name: 'Live' }).click();
      await page.getByRole('button', { name: 'Paused' }).waitFor();
      await memoryOf().working.delete({ planId: 'tea-market', key: 'note' });
      await memoryOf().working.set({ planId: 'tea-market', key: 'step', value: 3 });
    });

    it('puts sessions on a line of time, with one in full', async () => {
      const page = await visit('/inspect/agents/sessions');
      const row = page.getByRole('link', { name: /Release planning/ });
      await row.waitFor();
      expect(await row.locator('.timeline-bar').evaluate((bar) => bar.clientWidth)).toBeGreaterThan(4);
      expect(await row.locator('.timeline-mark').count()).toBe(1);
      await row.click();
      const session = page.getByRole('region', { name: 'Session sess-release' });
      await session.getByRole('link', { name: 'ship-october' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/inspect/agents/sessions/sess-release');
      await page.getByRole('radio', { name: 'day' }).check();
      await row.waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('span')).toBe('day');
    });

    it('shows a pool with its access list, and its values as they change', async () => {
      const page = await visit('/inspect/agents/pools/launch-team');
      const access = page.getByRole('region', { name: 'Access list' });
      await access.getByRole('row', { name: 'planner yes yes no' }).waitFor();
      await access.getByRole('row', { name: 'critic yes no no' }).waitFor();
      await page.getByRole('row', { name: /^budget 12500/ }).waitFor();
      await memoryOf().pools.increment({ poolId: 'launch-team', key: 'budget', by: 500 });
      await page.getByRole('row', { name: /^budget 13000/ }).waitFor();
      await memoryOf().pools.increment({ poolId: 'launch-team', key: 'budget', by: -500 });
    });

    it('follows a pool as whoever it is looked at as', async () => {
      const page = await visit('/inspect/agents/pools/prices');
      await page.getByRole('region', { name: 'Access list' }).waitFor();
      const asBruno = page.waitForRequest(
        (request) => request.url().includes('/prices/changes') && request.headers()['x-user-id'] === 'bruno',
      );
      await page.getByRole('button', { name: 'Operator' }).click();
      await page.getByRole('textbox', { name: 'User' }).fill('bruno');
      await page.getByRole('button', { name: 'Look as this user' }).click();
      await asBruno;
    });

    it('shows a context, and what changed between two snapshots', async () => {
      const page = await visit('/inspect/agents/contexts/atlas');
      const differences = page.getByRole('region', { name: 'Differences' });
      await differences.getByText('1 added, 1 removed, 1 changed').waitFor();
      expect(await differences.locator('del').allTextContents()).toContain('nightly');
      expect(await differences.locator('ins').allTextContents()).toContain('hourly');
      await differences.getByLabel('and').selectOption({ label: 'after the move (3)' });
      await expect.poll(() => new URL(page.url()).searchParams.get('to'), SOON).toMatch(/^[\da-f-]{36}$/);
      await differences.getByText('1 added, 1 removed, 1 changed').waitFor();
      await page.getByRole('button', { name: 'Take one now' }).click();
      await page.getByText('Snapshot taken of 3 entries.').waitFor();
      await page.getByRole('region', { name: 'Who came' }).getByText('contextSnapshots.create').first().waitFor();
    });

    it('says what is not there, and what to do first', async () => {
      const page = await visit('/inspect/agents/plans/nobody');
      await page.getByText('There is no such plan').waitFor();
      const fresh = await visit('/inspect/agents/pools');
      await fresh.evaluate(() =>
        localStorage.setItem('lamina.inspector.identity', JSON.stringify({ userId: 'nobody' })),
      );
      await fresh.goto(`${world().url}/inspect/agents/sessions`);
      await fresh.getByText('No sessions yet').waitFor();
      expect(await fresh.locator('.command pre').textContent()).toContain('/v1/memory/sessions');
    });

    it('shows a list or one of it on a phone', async () => {
      const page = await visit('/inspect/agents', { viewport: { width: 390, height: 844 } });
      await page.getByRole('link', { name: /tea-market/ }).click();
      await page.getByRole('heading', { name: 'tea-market', level: 2 }).waitFor();
      await page.getByRole('link', { name: 'All plans' }).click();
      await page.getByRole('link', { name: /ship-october/ }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    });
  });
}
