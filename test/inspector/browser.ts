/** The inspector in Chromium: every console error and every violation of its policy fails the test that caused it. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { LaminaClient } from '../../src/client/lamina-client.ts';
import type { PrincipalInput } from '../../src/domain/principal.ts';
import type { Memory } from '../../src/operations/memory.ts';
import { openWorld, type World } from './world.ts';

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

interface Opened {
  readonly world: World;
  readonly browser: Browser;
}

let opened: Opened | undefined;

function open(): Opened {
  if (opened === undefined) throw new Error('The world is opened before all tests, by openForAll.');
  return opened;
}

/** One world and one browser for all tests: both take longer to start than most tests take. */
export function openForAll(): void {
  beforeAll(async () => {
    await ensureBuilt();
    const [made, browser] = await Promise.all([
      openWorld(),
      chromium.launch({ executablePath: CHROMIUM, args: FLAGS }),
    ]);
    opened = { world: made, browser };
  }, STARTING_MS);

  afterAll(async () => {
    await opened?.browser.close();
    await opened?.world.close();
  });
}

export function world(): World {
  return open().world;
}

/** The service, asked as the inspector asks it; without a principal as whoever runs it. */
export function memoryOf(principal?: PrincipalInput): Memory {
  return new LaminaClient({ url: world().url }).as(principal);
}

/** Opens a path of the service in a tab of its own, closed when the test ends. */
export function visit(path: string, options: BrowserContextOptions = {}, url: string = world().url): Promise<Page> {
  return openPage(open().browser, url + path, options);
}

async function openPage(browser: Browser, url: string, options: BrowserContextOptions): Promise<Page> {
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
  const passes = await expectNoViolation(page, { resultTypes: ['violations'] });
  expect(passes).toBeGreaterThan(FEWEST_RULES);
}

/** The same in dark, where only colours can be others. */
export async function expectAccessibleInBoth(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectNoViolation(page, { runOnly: { type: 'rule', values: ['color-contrast'] } });
  await page.emulateMedia({ colorScheme: 'light' });
}

async function expectNoViolation(page: Page, options: object): Promise<number> {
  // Through the debugger's protocol: the page's own policy would refuse a script that is put in.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(await readFile(AXE, 'utf8'));
  const { passes, violations } = await page.evaluate<AxeReport>(`axe.run(${JSON.stringify(options)})`);
  expect(violations.flatMap(({ id, nodes }) => nodes.map((node) => [id, node.html, node.failureSummary]))).toEqual([]);
  return passes.length;
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
