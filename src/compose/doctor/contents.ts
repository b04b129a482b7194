/** Whether what is stored is what was written: each memory against its hash, also those that are sealed and can be opened. */

import { contentHash } from '../../core/remember/content.ts';
import type { Checkup, StoredContent } from '../../ports/checkup.ts';
import { LaminaError } from '../../domain/error.ts';
import { openedContent } from '../../sealing/sealed-entry.ts';
import { keyIdOf } from '../../sealing/sealed-text.ts';
import { unwrappedKeys, type TenantKeys } from '../../sealing/tenant-keys.ts';
import { masterKeyOf } from '../sealing.ts';
import { ok, problem, warning, type Finding } from './check.ts';
import type { World } from './world.ts';

const PAGE = 500;

/** Of one tenant that are named. */
const MAX_NAMED = 3;

export async function contentFindings(
  checkup: Checkup,
  world: Pick<World, 'configuration' | 'signal'>,
): Promise<Finding[]> {
  if ((await checkup.schema()).some(({ where }) => where === undefined)) return [];
  const findings: Finding[] = [];
  let read = 0;
  for (const tenantId of await checkup.tenants()) {
    const keys = await keysOf(checkup, world, tenantId);
    const altered: string[] = [];
    let unopened = 0;
    for await (const page of pagesOf(checkup, tenantId)) {
      world.signal.throwIfAborted();
      read += page.length;
      for (const stored of page) {
        if (keys === undefined && keyIdOf(stored.content) !== undefined) unopened += 1;
        else if (!isGenuine(keys, stored)) altered.push(stored.id);
      }
    }
    if (altered.length > 0) findings.push(alteredFinding(tenantId, altered));
    if (unopened > 0) findings.push(unopenedFinding(tenantId, unopened));
  }
  return findings.length > 0 || read === 0 ? findings : [ok('Every memory fits its hash.')];
}

/** Undefined where there are none, or where they cannot be had: another check tells that. */
async function keysOf(
  checkup: Checkup,
  { configuration }: Pick<World, 'configuration'>,
  tenantId: string,
): Promise<TenantKeys | undefined> {
  try {
    const master = masterKeyOf(configuration);
    const stored = await checkup.dataKeys(tenantId);
    return master && stored.length > 0 ? await unwrappedKeys(master, tenantId, stored) : undefined;
  } catch {
    return undefined;
  }
}

function isGenuine(keys: TenantKeys | undefined, stored: StoredContent): boolean {
  try {
    const opened = keys && openedContent(keys, stored);
    const { content, contentHash: hash } = opened ?? stored;
    return contentHash(content) === hash;
  } catch (error) {
    if (error instanceof LaminaError) return false;
    throw error;
  }
}

function unopenedFinding(tenantId: string, count: number): Finding {
  const told = `${count} sealed ${count === 1 ? 'memory' : 'memories'} of tenant ${tenantId} were not compared: no master key opens them here.`;
  return warning(told, 'Set LAMINA_MASTER_KEY_FILE, and look again.');
}

async function* pagesOf(checkup: Checkup, tenantId: string): AsyncGenerator<Awaited<ReturnType<Checkup['contents']>>> {
  let after = 0;
  for (;;) {
    const page = await checkup.contents(tenantId, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.seq;
  }
}

function alteredFinding(tenantId: string, ids: readonly string[]): Finding {
  const named = ids.slice(0, MAX_NAMED).join(', ');
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const told = `Memories of tenant ${tenantId} were altered beside Lamina: ${named}${more}.`;
  return problem(
    told,
    'Compare with lamina history ID; restore a backup, write the right text with an update, or delete them: lamina forget ID',
  );
}
