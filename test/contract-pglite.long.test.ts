/** The engine contract over PostgreSQL in this process. */

import { describe, it } from 'vitest';
import { engineContract } from '../src/testing/engine-contract.ts';
import { pgliteUnderTest } from './postgres-subject.ts';

const { subject } = await pgliteUnderTest();

engineContract({ describe, it }, 'PGlite', subject);
