/** Everything that a Lamina must do, whatever it runs on and however it is reached. */

import { adminContract } from './contract-admin.ts';
import { bundleContract } from './contract-bundle.ts';
import { agentMemoryContract } from './contract-agent-memory.ts';
import { archiveContract } from './contract-archive.ts';
import { asOfContract } from './contract-as-of.ts';
import { contextsContract } from './contract-contexts.ts';
import { conversationContract } from './contract-conversation.ts';
import { episodicContract } from './contract-episodic.ts';
import { eventsContract } from './contract-events.ts';
import { extractionContract } from './contract-extraction.ts';
import { factsContract } from './contract-facts.ts';
import { failureContract } from './contract-failure.ts';
import { fieldsContract } from './contract-fields.ts';
import { filtersContract } from './contract-filters.ts';
import { forgettingContract } from './contract-forgetting.ts';
import { identityContract } from './contract-identity.ts';
import { inputContract } from './contract-input.ts';
import { inspectionContract } from './contract-inspection.ts';
import { isolationContract } from './contract-isolation.ts';
import { itemsContract } from './contract-items.ts';
import { knowledgeContract } from './contract-knowledge.ts';
import { layersContract } from './contract-layers.ts';
import { listsContract } from './contract-lists.ts';
import { lifecycleContract } from './contract-lifecycle.ts';
import { maintenanceContract } from './contract-maintenance.ts';
import { openspecContract } from './contract-openspec.ts';
import { poolsContract } from './contract-pools.ts';
import { proceduralContract } from './contract-procedural.ts';
import { receiptsContract } from './contract-receipts.ts';
import { recordsContract } from './contract-records.ts';
import { routerContract } from './contract-router.ts';
import { saidAgainContract } from './contract-said-again.ts';
import { searchContract } from './contract-search.ts';
import { semanticContract } from './contract-semantic.ts';
import { sharingContract } from './contract-sharing.ts';
import { shortTermContract } from './contract-short-term.ts';
import type { OpenMemory, TestRunner } from './contract-subject.ts';
import { turnSignalsContract } from './contract-turn-signals.ts';
import { trustContract } from './contract-trust.ts';
import { turnContract } from './contract-turn.ts';
import { upsertContract } from './contract-upsert.ts';
import { versionsContract } from './contract-versions.ts';
import { workingContract } from './contract-working.ts';
import { writingContract } from './contract-writing.ts';

/**
 * Declares the whole behavioural suite with the given runner. `open` is called once per test and must give a
 * subject on an empty store, with the default limits.
 */
export function memoryContract(runner: TestRunner, name: string, open: OpenMemory): void {
  runner.describe(`memory contract: ${name}`, () => {
    writingContract(runner, open);
    fieldsContract(runner, open);
    identityContract(runner, open);
    versionsContract(runner, open);
    isolationContract(runner, open);
    layersContract(runner, open);
    searchContract(runner, open);
    receiptsContract(runner, open);
    filtersContract(runner, open);
    listsContract(runner, open);
    forgettingContract(runner, open);
    archiveContract(runner, open);
    asOfContract(runner, open);
    failureContract(runner, open);
    inputContract(runner, open);
    workingContract(runner, open);
    agentMemoryContract(runner, open);
    shortTermContract(runner, open);
    routerContract(runner, open);
    recordsContract(runner, open);
    semanticContract(runner, open);
    upsertContract(runner, open);
    episodicContract(runner, open);
    turnSignalsContract(runner, open);
    itemsContract(runner, open);
    conversationContract(runner, open);
    saidAgainContract(runner, open);
    extractionContract(runner, open);
    proceduralContract(runner, open);
    trustContract(runner, open);
    turnContract(runner, open);
    poolsContract(runner, open);
    sharingContract(runner, open);
    factsContract(runner, open);
    eventsContract(runner, open);
    contextsContract(runner, open);
    adminContract(runner, open);
    bundleContract(runner, open);
    maintenanceContract(runner, open);
    lifecycleContract(runner, open);
    knowledgeContract(runner, open);
    openspecContract(runner, open);
    inspectionContract(runner, open);
  });
}
