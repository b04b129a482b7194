/** Lamina beside what users would pick instead, each in a process of its own, on the same texts and vectors. */

import { existsSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { machineOf } from '../machine.ts';
import { progressOn } from '../progress.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { parseOptions, USAGE, type Options } from './options.ts';
import { peerNamed } from './peers.ts';
import { isDurable } from './postgres-database.ts';
import { characters, heading, sizeReport, type Results } from './report.ts';
import { runPeer, type PeerResult, type Run } from './run-peer.ts';

/** What a reader has to know before trusting the numbers. */
async function notesOn(postgresUrl: string | undefined): Promise<string[]> {
  const notes: string[] = [];
  const [load = 0] = loadavg();
  if (load > availableParallelism() / 2) {
    notes.push(
      `The machine is busy with something else (load ${load.toFixed(1)}): the peers get unequal shares of it.`,
    );
  }
  if (postgresUrl === undefined) {
    notes.push('BENCH_POSTGRES_URL is not set: what needs PostgreSQL is left out.');
  } else if (!(await isDurable(postgresUrl))) {
    notes.push('The PostgreSQL server does not wait for its disk (fsync or synchronous_commit is off).');
  }
  return notes;
}

async function runSize(size: number, options: Options, run: Run): Promise<PeerResult[]> {
  const results: PeerResult[] = [];
  for (const peer of options.peers) {
    if (peerNamed(peer).needsPostgres && run.postgresUrl === undefined) continue;
    const { textsPerUser, searches, seed } = options;
    const task = { peer, size, textsPerUser, searches, seed, capMs: options.capSeconds * 1000 };
    results.push(await runPeer(task, { ...run, say: (what) => run.say(`${peer}, ${what}`) }));
  }
  return results;
}

async function bench(options: Options): Promise<Results> {
  const folder = temporaryFolder();
  const progress = progressOn(process.stderr);
  const print = (text: string): void => {
    progress.clear();
    console.log(`${text}\n`);
  };
  const postgresUrl = process.env['BENCH_POSTGRES_URL'];
  const machine = machineOf(folder);
  print(heading(machine, await notesOn(postgresUrl)));
  const peers: PeerResult[] = [];
  for (const size of options.sizes) {
    const results = await runSize(size, options, { folder, postgresUrl, say: (what) => progress.say(what) });
    print(sizeReport(size, Math.max(2, Math.round(size / options.textsPerUser)), results));
    peers.push(...results);
  }
  print(characters(peers));
  return { machine, seed: options.seed, textsPerUser: options.textsPerUser, peers };
}

/** Throws where the peers are not installed. */
function assertInstalled({ peers, wantsHelp }: Options): void {
  const packages = peers.flatMap((peer) => peerNamed(peer).package ?? []);
  const isThere = (name: string): boolean => existsSync(join(import.meta.dirname, 'node_modules', name));
  if (wantsHelp || packages.every(isThere)) return;
  throw new Error('The peers are not installed: run npm ci --ignore-scripts --prefix bench/peers.');
}

function optionsOrExit(): Options {
  try {
    const parsed = parseOptions(process.argv.slice(2));
    assertInstalled(parsed);
    return parsed;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(2);
  }
}

const options = optionsOrExit();
if (options.wantsHelp) {
  console.log(USAGE);
} else {
  const results = await bench(options);
  if (options.jsonFile !== undefined) writeFileSync(options.jsonFile, `${JSON.stringify(results, null, 2)}\n`);
  if (results.peers.some(({ outcome }) => 'failure' in outcome)) process.exitCode = 1;
}
