/**
 * Where random inputs of a run begin. In continuous integration always at the same place, so that a result depends on the change
 * alone; elsewhere at another one each time, so that runs find what no one has thought of. LAMINA_TEST_SEED repeats one.
 */

import process from 'node:process';

const IN_CI = 711;

export const RUN_SEED: number = seed();

function seed(): number {
  const { LAMINA_TEST_SEED: given, CI } = process.env;
  if (given !== undefined) return Number(given);
  return CI ? IN_CI : Date.now() % 1_000_000;
}
