/** The inspector in Chromium: every console error and every violation of its policy fails the test that caused it. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { openWorld, type World } from './inspector-world.ts';

const CHROMIUM = process.env['LAMINA_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'.split(' ');
const AXE = resolve('node_modules/axe-core/axe.min.js');
const BUILT = 'dist/inspector/index.html';
const SOURCE = 'inspector';
const LOCK = 'dist/.inspector-build';

/** For beforeAll: the world, the model and the browser have to start. */
const STARTING_MS = 120_000;
export const SLOW_MS = 60_000;
/** For `expect.poll`: a second is not enough where the machine is busy. */
export const SOON = { timeout: 20_000 };

/** A machine of a developer may do without a browser; continuous integration may not. */
export const hasNoBrowser = !existsSync(CHROMIUM) && process.env['CI'] === undefined;

export interface Inspector {
  /** Opens a path of the service in a tab of its own, closed when the test ends. */
  visit(path: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** A world and the inspector of it for all tests of a `describe`, in an environment of its own. */
export function openForAll(
  use: (opened: { readonly world: World; readonly inspector: Inspector }) => void,
  environment: Parameters<typeof openWorld>[0] = {},
): void {
  let world: World;
  let inspector: Inspector;

  beforeAll(async () => {
    world = await openWorld(environment);
    inspector = await openInspector(world.url);
    use({ world, inspector });
  }, STARTING_MS);

  afterAll(async () => {
    await inspector.close();
    await world.close();
  });
}

async function openInspector(url: string): Promise<Inspector> {
  await ensureBuilt();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return {
    visit: (path, options = {}) => visit(browser, url + path, options),
    close: () => browser.close(),
  };
}

async function visit(browser: Browser, url: string, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // What the service refuses is told on the page; the browser's own line about it is no mistake of ours.
    const isFailedRequest = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isFailedRequest) problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await page.goto(url);
  return page;
}

interface AxeReport {
  readonly passes: readonly unknown[];
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** A report on fewer rules than this has not seen the page. */
const FEWEST_RULES = 10;

/** No violation of WCAG 2.2 A and AA, nor of axe's best practices, as the page is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // Through the debugger's protocol: the page's own policy would refuse a script that is put in.
  await page.evaluate(await readFile(AXE, 'utf8'));
  const { passes, violations } = await page.evaluate<AxeReport>('axe.run()');
  expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => [id, node.html, node.failureSummary]))).toEqual([]);
  expect(passes.length).toBeGreaterThan(FEWEST_RULES);
}

/** Builds it unless it is newer than its source. One at a time: test files run side by side. */
async function ensureBuilt(): Promise<void> {
  for (;;) {
    if (await isBuilt()) return;
    await mkdir('dist', { recursive: true });
    const hasLock = await mkdir(LOCK).then(
      () => true,
      () => false,
    );
    if (hasLock) break;
    await pause(200);
  }
  try {
    await promisify(execFile)(process.execPath, ['scripts/build-inspector.ts']);
  } finally {
    await rm(LOCK, { recursive: true, force: true });
  }
}

async function isBuilt(): Promise<boolean> {
  if (existsSync(LOCK) || !existsSync(BUILT)) return false;
  const { mtimeMs } = await stat(BUILT);
  const files = await readdir(SOURCE, { recursive: true });
  const times = await Promise.all(files.map(async (file) => (await stat(join(SOURCE, file))).mtimeMs));
  return times.every((time) => time <= mtimeMs);
}
