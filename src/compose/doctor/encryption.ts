/** Whether what is sealed can be opened, and whether all is sealed that should be. */

import type { Checkup } from '../../ports/checkup.ts';
import type { StoredKey } from '../../ports/key-store.ts';
import type { MasterKey } from '../../ports/master-key.ts';
import { masterKeyOf } from '../sealing.ts';
import { ok, problem, warning, type Finding } from './check.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

/** A retired key that is older belongs to a rotation that was stopped. */
const MAX_ROTATION_MS = 86_400_000;

export async function encryptionFindings(checkup: Checkup, { configuration }: World): Promise<Finding[]> {
  let master: MasterKey | undefined;
  try {
    master = masterKeyOf(configuration);
  } catch (error) {
    return [problem(reasonOf(error), 'Put the file back, or correct LAMINA_MASTER_KEY_FILE.')];
  }
  const findings: Finding[] = [];
  let sealed = 0;
  for (const tenantId of await checkup.tenants()) {
    const keys = await checkup.dataKeys(tenantId);
    if (keys.length > 0) sealed += 1;
    if (master === undefined && keys.length > 0) findings.push(lockedFinding(tenantId));
    else if (master !== undefined) findings.push(...(await tenantFindings(master, checkup, tenantId, keys)));
  }
  if (findings.length > 0 || master === undefined) return findings;
  return [ok(`The master key opens the keys of ${sealed} ${sealed === 1 ? 'tenant' : 'tenants'}.`)];
}

async function tenantFindings(
  master: MasterKey,
  checkup: Checkup,
  tenantId: string,
  keys: readonly StoredKey[],
): Promise<Finding[]> {
  for (const { id: keyId, wrapped, masterId } of keys) {
    try {
      await master.unwrap(Buffer.from(wrapped, 'base64url'), { tenantId, keyId, masterId });
    } catch (error) {
      const told = `The master key does not open the key ${keyId} of tenant ${tenantId}. ${reasonOf(error)}`;
      return [problem(told, 'Put the master key back by which it was wrapped.')];
    }
  }
  if (!keys.some(({ completeAt }) => completeAt !== null)) {
    return [warning(`Not all of tenant ${tenantId} is sealed.`, `lamina encryption seal --tenant ${tenantId}`)];
  }
  const unsealed = await checkup.unsealed(tenantId);
  if (unsealed > 0) {
    const told = `Tenant ${tenantId} is sealed, but for ${unsealed} that ${unsealed === 1 ? 'was' : 'were'} written without the master key.`;
    return [warning(told, `lamina encryption seal --tenant ${tenantId}`)];
  }
  const since = Date.now() - MAX_ROTATION_MS;
  if (!keys.some(({ retiredAt }) => retiredAt !== null && retiredAt < since)) return [];
  const told = `Tenant ${tenantId} has a data key that was retired, and is still there.`;
  return [warning(told, `Finish what was stopped: lamina encryption rotate --tenant ${tenantId}`)];
}

function lockedFinding(tenantId: string): Finding {
  const told = `What tenant ${tenantId} has is sealed, and there is no master key.`;
  return problem(told, 'Set LAMINA_MASTER_KEY_FILE to the file, or the folder, that holds it.');
}
