/** Everything that a storage engine must do for the core to keep its promises. */

import type { TestRunner } from './contract-subject.ts';
import { engineAsOf } from './engine-as-of.ts';
import { engineConditions } from './engine-conditions.ts';
import { engineErasure } from './engine-erasure.ts';
import { engineIndex } from './engine-index.ts';
import { engineFacts } from './engine-facts.ts';
import { engineIsolation } from './engine-isolation.ts';
import { enginePools } from './engine-pools.ts';
import { engineRecall } from './engine-recall.ts';
import { engineRemoval } from './engine-removal.ts';
import { engineSpaces } from './engine-spaces.ts';
import type { OpenEngine } from './engine-subject.ts';
import { engineTransactions } from './engine-transactions.ts';
import { engineUpkeep } from './engine-upkeep.ts';
import { stateContract } from './state-contract.ts';

/** Declares the suite over the engine port. `open` is called once per test and must give an empty store. */
export function engineContract(runner: TestRunner, name: string, open: OpenEngine): void {
  runner.describe(`engine contract: ${name}`, () => {
    engineTransactions(runner, open);
    engineRecall(runner, open);
    engineConditions(runner, open);
    engineAsOf(runner, open);
    engineRemoval(runner, open);
    engineIsolation(runner, open);
    stateContract(runner, open);
    enginePools(runner, open);
    engineFacts(runner, open);
    engineUpkeep(runner, open);
    engineIndex(runner, open);
    engineSpaces(runner, open);
    engineErasure(runner, open);
  });
}
