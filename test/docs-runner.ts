/**
 * Runs the programs of the docs one after the other in this process: `node docs-runner.ts MANIFEST`. They share one model, as
 * loading it takes longer than all that most of them do. Prints a line of JSON for each: its page, and why it failed.
 */

import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { Lamina } from '../src/compose/lamina.ts';
import { localEmbedder } from '../src/compose/embedders.ts';
import type { Embedder } from '../src/ports/embedder.ts';

export interface PageRun {
  readonly page: string;
  readonly program: string;
  /** Where it runs. */
  readonly folder: string;
}

export interface PageOutcome {
  readonly page: string;
  readonly failure?: string | undefined;
}

const LONGEST_MS = 30_000;

const model = localEmbedder();
const shared: Embedder = {
  settings: model.settings,
  space: () => model.space(),
  calibration: () => model.calibration(),
  embed: (texts) => model.embed(texts),
  forget: (texts) => model.forget(texts),
  close: async () => {},
};

const opened: Lamina[] = [];
const open = Lamina.open.bind(Lamina);
Lamina.open = async (options) => {
  const lamina = await open({ embedder: shared, ...options });
  opened.push(lamina);
  return lamina;
};

/** What a program leaves behind counts as its own failure. */
async function run({ program, folder }: PageRun): Promise<string | undefined> {
  await mkdir(folder, { recursive: true });
  process.chdir(folder);
  const { promise: stray, reject } = Promise.withResolvers<never>();
  const late = setTimeout(() => reject(new Error(`It took longer than ${LONGEST_MS} ms.`)), LONGEST_MS);
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', reject);
  try {
    await Promise.race([import(program), stray]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } finally {
    clearTimeout(late);
    for (const lamina of opened.splice(0)) await lamina.close().catch(() => {});
  }
}

const print = process.stdout.write.bind(process.stdout);
// Pages print what they find.
process.stdout.write = () => true;
for (const each of JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as PageRun[]) {
  const outcome: PageOutcome = { page: each.page, failure: await run(each) };
  print(`${JSON.stringify(outcome)}\n`);
}
await model.close();
process.exit(0);
