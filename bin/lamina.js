#!/usr/bin/env node
// Starts the command line. Plain JavaScript without modern syntax, so that an old Node can still read the advice.

import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Node runs TypeScript as it stands from here on. */
const RUNS_TYPESCRIPT = '22.18';

function isOlderThan(needed) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = needed.split('.').map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

function refuse(message) {
  process.stderr.write(message + '\n');
  process.exit(1);
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const needed = manifest.engines.node.replace('>=', '');

// The published package has no src. In a checkout src comes first, so that a stale dist never runs in its place.
const source = new URL('../src/cli/main.ts', import.meta.url);
const isCheckout = existsSync(source);
const entry = isCheckout ? source : new URL('../dist/cli/main.js', import.meta.url);

const start = 'Lamina cannot run on Node ' + process.versions.node + ': ';
const ownNode = ' After "npm install", "npm start" uses a Node of its own.';
if (isOlderThan(needed)) refuse(start + 'it needs ' + needed + ' or newer.' + (isCheckout ? ownNode : ''));
if (isCheckout && isOlderThan(RUNS_TYPESCRIPT)) {
  refuse(start + 'a checkout runs as TypeScript and needs ' + RUNS_TYPESCRIPT + ' or newer.' + ownNode);
}
if (!existsSync(entry)) refuse('This copy of Lamina is not complete: dist is missing. Install it again.');

// Compiled code is kept for the next start, which halves it. Not in the shared folder for temporary files: others could write there.
try {
  nodeModule.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lamina', 'compiled'));
} catch {
  // A user without a home has no cache.
}

const { main } = await import(entry.href);
process.exitCode = await main(process.argv.slice(2));
