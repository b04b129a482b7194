/** The budget of the inspector: what it weighs, which fails; and how long it takes, which is told, for machines differ. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { visit, world } from './browser.ts';

const KB = 1024;

export function budgetSpec(): void {
  describe('the budget', () => {
    it('weighs less than 300 KB on the first load, and nothing comes from elsewhere', async () => {
      const page = await visit('/');
      await page.waitForLoadState('networkidle');
      const names = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
      expect(names.every((name) => name.startsWith(world().url))).toBe(true);
      const files = names.map((name) => new URL(name).pathname).filter((path) => !path.startsWith('/v1'));
      const sizes = await Promise.all(
        files.map(async (file) => gzipSync(await readFile(join('dist/inspector', file))).length),
      );
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      const ms = await page.evaluate(() => performance.getEntriesByName('lamina-interactive')[0]?.startTime);
      process.stdout.write(
        `First load ${(bytes / KB).toFixed(0)} KB of 300, interactive after ${ms?.toFixed(0)} ms of 1,000.\n`,
      );
      expect(bytes).toBeLessThan(300 * KB);
      expect((await readdir('dist/inspector/assets')).some((file) => file.endsWith('.map'))).toBe(false);
    });

    it('paints results soon after the answer', async () => {
      const page = await visit('/inspect/search?threshold=0.1');
      const took: number[] = [];
      for (const text of ['tea', 'marathon', 'passport']) {
        const painted = page.evaluate(msFromAnswerToPaint, text);
        await page.getByRole('searchbox').fill(text);
        took.push(await painted);
      }
      process.stdout.write(
        `Results painted ${took.map((ms) => ms.toFixed(0)).join(', ')} ms after the answer, of 100.\n`,
      );
      expect(took.every(Number.isFinite)).toBe(true);
    });
  });
}

/** In the browser: resolves when the words of the query are marked, with how long after the answer that was. */
function msFromAnswerToPaint(text: string): Promise<number> {
  return new Promise((done) => {
    const answers = new PerformanceObserver((list) => {
      const answer = list.getEntries().find(({ name }) => name.endsWith('/search'));
      if (!(answer instanceof PerformanceResourceTiming)) return;
      answers.disconnect();
      const look = (): void => {
        const isPainted = document
          .querySelector('.result mark')
          ?.textContent?.toLowerCase()
          .startsWith(text.slice(0, 3));
        if (isPainted === true) done(performance.now() - answer.responseEnd);
        else requestAnimationFrame(look);
      };
      look();
    });
    answers.observe({ type: 'resource' });
  });
}
