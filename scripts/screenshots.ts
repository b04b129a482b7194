/**
 * Pictures of the inspector's main pages, light, dark and on a phone: `node scripts/screenshots.ts FOLDER [PAGE …]`. Also says
 * how long it takes until the page can be used. With LAMINA_URL it looks at that service, else at a world of its own.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions } from 'playwright-core';
import { openWorld } from '../test/inspector/world.ts';

const CHROMIUM = process.env['LAMINA_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'.split(' ');
const SETTLED_MS = 700;
/** A graph moves until it has found its places; a map is computed first. */
const LAID_OUT_MS = 4000;
const COMPUTED_MS = 60_000;

/** Each page by a name, with what to look at. `ENTRY` is a memory with a history. */
const PICTURES: Readonly<Record<string, string>> = {
  start: '/',
  search: '/inspect/search?q=what+does+Ada+like+to+drink&threshold=0.4',
  'search-options': '/inspect/search?q=green+tea&threshold=0.3&project=apollo&team=platform&entry=ENTRY',
  compare: '/inspect/search?q=green+tea&compare=1&b.mode=keyword&b.threshold=0.2&threshold=0.2',
  browse: '/inspect/browse',
  'browse-entry': '/inspect/browse?entry=ENTRY',
  entry: '/inspect/entries/ENTRY',
  review: '/inspect/browse?status=quarantined',
  'turn-start': '/inspect/turn',
  turn: '/inspect/turn?q=What+should+I+order+for+Ada+to+drink%3F&threshold=0.3&budget=160&agent=scribe&recent=2&plan=tea-market',
  agents: '/inspect/agents/plans/tea-market',
  sessions: '/inspect/agents/sessions/sess-release',
  pools: '/inspect/agents/pools/launch-team',
  contexts: '/inspect/agents/contexts/atlas',
  facts: '/inspect/facts',
  'facts-walk': '/inspect/facts?from=api&node=api&open=Ada',
  operations: '/inspect/operations',
  'operations-traffic': '/inspect/operations/traffic',
  'operations-maintenance': '/inspect/operations/maintenance',
  'operations-events': '/inspect/operations/events',
  'operations-keys': '/inspect/operations/keys',
  'operations-erasure': '/inspect/operations/erasure',
  map: '/inspect/map?project=apollo&team=platform&agent=scribe',
  'map-area': '/inspect/map?colour=age&area=-1,-1;0.2,-1;0.2,1;-1,1',
};

const VIEWS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1360, height: 860 }, colorScheme: 'light' },
  dark: { viewport: { width: 1360, height: 860 }, colorScheme: 'dark' },
  phone: {
    viewport: { width: 390, height: 844 },
    colorScheme: 'light',
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  },
};

async function measure(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage();
  await page.goto(url);
  await page.waitForSelector('main h1');
  const ms = await page.evaluate(() => performance.getEntriesByName('lamina-interactive')[0]?.startTime ?? Number.NaN);
  console.log(`Interactive after ${ms.toFixed(0)} ms.`);
  await page.close();
}

async function takeAll(
  browser: Browser,
  url: string,
  entry: string,
  folder: string,
  wanted: readonly string[],
): Promise<void> {
  for (const [view, options] of Object.entries(VIEWS)) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') console.log(`${view}: ${message.text()}`);
    });
    for (const [name, path] of Object.entries(PICTURES)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      await page.goto(url + path.replace('ENTRY', entry));
      // What follows a stream is never idle.
      await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined);
      await page.locator('.map-computing').waitFor({ state: 'detached', timeout: COMPUTED_MS });
      await page.waitForTimeout((await page.locator('canvas').count()) === 0 ? SETTLED_MS : LAID_OUT_MS);
      await page.screenshot({ path: join(folder, `${name}-${view}.png`) });
    }
    await context.close();
  }
}

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Where to? node scripts/screenshots.ts FOLDER [PAGE …]');
  process.exit(2);
}
await mkdir(folder, { recursive: true });
const given = process.env['LAMINA_URL'];
const world = given === undefined ? await openWorld() : undefined;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
try {
  const url = world?.url ?? given ?? '';
  await measure(browser, url);
  await takeAll(browser, url, world?.ids.edited ?? process.env['LAMINA_ENTRY'] ?? '', folder, wanted);
} finally {
  await browser.close();
  await world?.close();
}
