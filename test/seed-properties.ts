/** Runs before each file of tests: properties take their random inputs from the seed of the run. */

import { configureGlobal, readConfigureGlobal } from 'fast-check';
import { RUN_SEED } from './run-seed.ts';

configureGlobal({ ...readConfigureGlobal(), seed: RUN_SEED });
