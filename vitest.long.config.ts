/** How `npm run test:long` and `test:all` run: as `npm test`, but only what takes long. */

import { configDefaults, defineConfig } from 'vitest/config';
import { findPostgres } from './test/postgres-installation.ts';
import everyday, { LONG_TESTS } from './vitest.config.ts';

const hasServer = process.env['LAMINA_TEST_POSTGRES_URL'] !== undefined || typeof findPostgres() !== 'string';

/** PGlite has the same SQL: where there is a server the memory contract runs over that. */
const PGLITE = hasServer ? ['contract-pglite-memory', 'crash-pglite'] : [];

/** What takes more minutes than continuous integration has; `npm run test:all` runs it too, before a release. */
const FOR_A_RELEASE = [
  ...PGLITE,
  'bench*',
  'contract-sealed*',
  'copy-command',
  'docs-{blocks,site}',
  'effect-crash',
  'embedding-minilm-runtimes',
  'model-change-service',
  'parity',
  'redis-fallback',
  'sqlite-{codes,residue}',
];

const left = process.env['LAMINA_TEST_ALL'] ? [] : FOR_A_RELEASE.map((name) => `test/${name}.long.test.ts`);

export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include: LONG_TESTS,
    exclude: [...configDefaults.exclude, ...left],
    // A third of their time goes into waiting: for processes to start and to end, for outages to be noticed.
    maxWorkers: 3,
  },
});
