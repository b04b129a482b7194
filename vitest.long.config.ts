/** How `npm run test:long` runs: as `npm test`, but only what takes long. */

import { configDefaults, defineConfig } from 'vitest/config';
import everyday, { LONG_TESTS } from './vitest.config.ts';

export default defineConfig({
  ...everyday,
  test: { ...everyday.test, include: LONG_TESTS, exclude: configDefaults.exclude },
});
