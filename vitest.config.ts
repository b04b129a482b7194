/** How `npm test` runs: real processes, real files, two at a time. */

import { configDefaults, defineConfig } from 'vitest/config';

/** Other engines and other doors than the library's, outages, many processes, browsers: `npm run test:long`, as CI does. */
export const LONG_TESTS = ['test/**/*.long.test.ts'];

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...LONG_TESTS],
    globalSetup: ['test/postgres-setup.ts'],
    setupFiles: ['test/seed-properties.ts'],
    // As users run it: by Node itself, which takes the types away, and not through a bundler.
    experimental: { viteModuleRunner: false },
    // Native addons and child processes are safest in processes of their own.
    pool: 'forks',
    // A third of the time would go into loading the same modules for each file. Files leave the process as they found it.
    isolate: false,
    fileParallelism: true,
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
  },
});
