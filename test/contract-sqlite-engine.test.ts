/** The engine contract over SQLite. */

import { describe, it } from 'vitest';
import { engineContract } from '../src/testing/engine-contract.ts';
import { openSqliteSubject } from './sqlite-subject.ts';

engineContract({ describe, it }, 'SQLite', openSqliteSubject);
