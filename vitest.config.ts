/** How `npm test` runs: real processes, real files, two at a time. */

import { configDefaults, defineConfig } from 'vitest/config';
import { findPostgres } from './test/postgres-installation.ts';

const hasServer = process.env['LAMINA_TEST_POSTGRES_URL'] !== undefined || typeof findPostgres() !== 'string';

/**
 * Where there is a server the contracts run over that, and of PGlite, which has the same SQL, only that of an engine; all of it
 * with LAMINA_TEST_PGLITE set.
 */
const pglite = {
  long: hasServer ? ['test/contract-pglite.test.ts'] : [],
  left: hasServer && !process.env['LAMINA_TEST_PGLITE'] ? ['test/contract-pglite-memory.test.ts'] : [],
};

/** Outages, many processes, benchmarks, both runtimes of the model: `npm run test:long`, as continuous integration does. */
export const LONG_TESTS = ['test/**/*.long.test.ts', ...pglite.long];

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...LONG_TESTS, ...pglite.left],
    globalSetup: ['test/postgres-setup.ts'],
    // As users run it: by Node itself, which takes the types away, and not through a bundler.
    experimental: { viteModuleRunner: false },
    // Native addons and child processes are safest in processes of their own.
    pool: 'forks',
    fileParallelism: true,
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
  },
});
