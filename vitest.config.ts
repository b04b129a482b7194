/** How `npm test` runs: real processes, real files, two at a time. */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/postgres-setup.ts'],
    // Native addons and child processes are safest in processes of their own.
    pool: 'forks',
    fileParallelism: true,
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
  },
});
