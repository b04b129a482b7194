/** Copying what outlives erased tenants: the receipts of their erasure. They are few, so that all are gone through. */

import { LaminaError } from '../../domain/error.ts';
import type { Archive, ArchivedErasure } from '../../ports/archive.ts';
import { hashOfId } from '../admin/receipt.ts';

const PAGE_SIZE = 500;

interface ErasuresCopy {
  readonly from: Archive;
  readonly to: Archive;
  /** Only of this one. */
  readonly tenantId?: string | undefined;
}

/** How many there are. Throws `VERSION_CONFLICT` when one did not arrive. */
export async function copyErasures({ from, to, tenantId }: ErasuresCopy): Promise<number> {
  const there = await idsIn(to);
  const wanted = new Set<string>();
  for await (const items of pagesOf(from)) {
    const own = tenantId === undefined ? items : items.filter(({ tenantHash }) => tenantHash === hashOfId(tenantId));
    for (const { entry } of own) wanted.add(entry.id);
    const missing = own.filter(({ entry }) => !there.has(entry.id));
    if (missing.length > 0) await to.writeErasures(missing);
  }
  const arrived = await idsIn(to);
  const lost = [...wanted].find((id) => !arrived.has(id));
  if (lost === undefined) return wanted.size;
  throw new LaminaError('VERSION_CONFLICT', `The receipt ${lost} of an erased tenant did not arrive in the target.`);
}

async function idsIn(archive: Archive): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const items of pagesOf(archive)) for (const { entry } of items) ids.add(entry.id);
  return ids;
}

async function* pagesOf(archive: Archive): AsyncGenerator<readonly ArchivedErasure[]> {
  let page = await archive.readErasures(PAGE_SIZE);
  while (page.last !== undefined) {
    yield page.items;
    page = await archive.readErasures(PAGE_SIZE, page.last);
  }
}
