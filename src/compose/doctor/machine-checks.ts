/** Whether this machine can run Lamina. */

import { availableParallelism, totalmem } from 'node:os';
import { isNodeTooOld, LEAST_NODE } from '../node-version.ts';
import { ok, problem, warning, type Check, type Finding } from './check.ts';
import { reasonOf } from './run-checks.ts';

const MIB = 1024 ** 2;
/** The local model and a service take about half of it. */
const COMFORTABLE_MIB = 1024;

export function nodeFinding(version: string): Finding {
  if (!isNodeTooOld(version)) return ok(`Node ${version} on ${process.platform} ${process.arch}.`);
  return problem(`Node ${version} is too old: Lamina needs ${LEAST_NODE} or newer.`, 'Install Node 24.');
}

const node: Check<unknown> = {
  name: 'node',
  group: 'Machine',
  looksAt: 'The version of Node, the system and the architecture',
  run: async () => [nodeFinding(process.versions.node)],
};

const nativeParts: Check<unknown> = {
  name: 'native-parts',
  group: 'Machine',
  looksAt: 'Whether the native parts load: SQLite with full-text search, and vectors in it',
  async run() {
    try {
      const [{ default: Sqlite }, { load }] = await Promise.all([import('better-sqlite3'), import('sqlite-vec')]);
      const db = new Sqlite(':memory:');
      try {
        load(db);
        db.exec('CREATE VIRTUAL TABLE words USING fts5 (word)');
        const row = db.prepare<[], { sqlite: string; vec: string }>(
          'SELECT sqlite_version() AS sqlite, vec_version() AS vec',
        );
        const { sqlite, vec } = row.get() ?? { sqlite: '', vec: '' };
        return [ok(`SQLite ${sqlite} and sqlite-vec ${vec} load.`)];
      } finally {
        db.close();
      }
    } catch (error) {
      const fix = 'Install again for this machine: npm rebuild better-sqlite3, or remove node_modules and npm install';
      return [problem(`A native part does not load. ${reasonOf(error)}`, fix)];
    }
  },
};

export function memoryFinding(bytes: number, cores: number): Finding {
  const mib = Math.round(bytes / MIB);
  const told = `${mib.toLocaleString('en')} MiB of memory, ${cores} ${cores === 1 ? 'core' : 'cores'}.`;
  if (mib >= COMFORTABLE_MIB) return ok(told);
  const fix = 'Give it 1 GiB, or have another machine embed: LAMINA_EMBEDDINGS=openai with LAMINA_OPENAI_BASE_URL';
  return warning(`${told} The local embedding model is at home with 1 GiB or more.`, fix);
}

const memory: Check<unknown> = {
  name: 'memory',
  group: 'Machine',
  looksAt: 'How much memory and how many cores there are, within the bounds of a container',
  // Zero where nothing bounds it.
  run: async () => [
    memoryFinding(Math.min(totalmem(), process.constrainedMemory() || Infinity), availableParallelism()),
  ],
};

/** They need no configuration. */
export const MACHINE_CHECKS: readonly Check<unknown>[] = [node, nativeParts, memory];
