/** Whether audit logs are as they were written: each entry against the hash that the next one carries. */

import { verifyChain } from '../../core/admin/verify-chain.ts';
import type { Checkup } from '../../ports/checkup.ts';
import { ok, problem, type Finding } from './check.ts';

const FIX =
  'Somebody wrote to the database beside Lamina. Keep it as it is, compare with a backup, and find out who can: docs/audit.md';

export async function auditFindings(checkup: Checkup, signal: AbortSignal): Promise<Finding[]> {
  if ((await checkup.schema()).length > 0) return [];
  const findings: Finding[] = [];
  let linked = 0;
  for (const tenantId of [...(await checkup.tenants()), undefined]) {
    signal.throwIfAborted();
    const { entries, firstBroken } = await verifyChain((limit, after) => checkup.audit(tenantId, limit, after));
    linked += entries;
    if (firstBroken === undefined) continue;
    const whose = tenantId === undefined ? 'that outlives tenants' : `of tenant ${tenantId}`;
    const where = firstBroken.sequence === undefined ? '' : ` at entry ${firstBroken.sequence}`;
    findings.push(problem(`The audit log ${whose} is broken${where}. ${firstBroken.problem}`, FIX));
  }
  if (findings.length > 0 || linked === 0) return findings;
  return [ok(`The audit log holds: ${linked} ${linked === 1 ? 'entry' : 'entries'}.`)];
}
