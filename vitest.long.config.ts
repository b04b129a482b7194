/** How `npm run test:long` runs: as `npm test`, but only what takes long. */

import { configDefaults, defineConfig } from 'vitest/config';
import { findPostgres } from './test/postgres-installation.ts';
import everyday, { LONG_TESTS } from './vitest.config.ts';

const hasServer = process.env['LAMINA_TEST_POSTGRES_URL'] !== undefined || typeof findPostgres() !== 'string';

/** PGlite has the same SQL: where there is a server the memory contract runs over that, and over both with LAMINA_TEST_PGLITE set. */
const left = hasServer && !process.env['LAMINA_TEST_PGLITE'] ? ['test/contract-pglite-memory.long.test.ts'] : [];

export default defineConfig({
  ...everyday,
  test: { ...everyday.test, include: LONG_TESTS, exclude: [...configDefaults.exclude, ...left] },
});
