/** Runs of workflows: their pools, and their end. */

import { workingNamespace } from '../../domain/namespace.ts';
import type { ListPoolsOutput, Pool } from '../../domain/pool.ts';
import type { Principal } from '../../domain/principal.ts';
import type { CreateWorkflowPoolInput, EndWorkflowOutput, ListWorkflowPoolsInput } from '../../domain/workflow.ts';
import type { RecordQuery } from '../../ports/record-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { createWorkflowPool } from './create-pool.ts';
import { isThere } from './pool-access.ts';
import { listPools } from './pool-views.ts';
import { removePool } from './remove-pool.ts';

const BATCH = 100;

export interface Workflows {
  /** Throws `VERSION_CONFLICT` when the id is taken. */
  createPool(principal: Principal, input: CreateWorkflowPoolInput): Promise<Pool>;
  listPools(principal: Principal, input: ListWorkflowPoolsInput): Promise<ListPoolsOutput>;
  /** See {@link endWorkflow}. */
  end(principal: Principal, workflowRunId: string): Promise<EndWorkflowOutput>;
}

export function createWorkflows(dependencies: Dependencies): Workflows {
  return {
    createPool: (principal, input) => createWorkflowPool(dependencies, principal, input),
    listPools: (principal, input) => listPools(dependencies, principal, input),
    end: (principal, workflowRunId) => endWorkflow(dependencies, principal, workflowRunId),
  };
}

/** Removes what was for this run only: its pools, whoever made them, and its working memory. Can be repeated. */
export async function endWorkflow(
  dependencies: Dependencies,
  principal: Principal,
  workflowRunId: string,
): Promise<EndWorkflowOutput> {
  const { records, hot, clock } = dependencies;
  const where = { workflowRunId: [workflowRunId] };
  let deletedPools = 0;
  let after: RecordQuery<Pool>['after'];
  for (;;) {
    const pools = await records.pools.list(principal, { where, limit: BATCH, after });
    for (const pool of pools) {
      const wasThere = isThere(pool, clock.now());
      if ((await removePool(dependencies, principal.tenantId, pool)) && wasThere) deletedPools += 1;
    }
    const last = pools.at(-1);
    if (last === undefined || pools.length < BATCH) break;
    after = { at: last.createdAt, key: last.poolId };
  }
  const deletedValues = await hot.clear(principal, workingNamespace(workflowRunId));
  return { workflowRunId, deletedPools, deletedValues };
}
