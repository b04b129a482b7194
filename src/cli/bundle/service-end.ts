/** A tenant behind a service as one end of a transfer by bundle. */

import type { BundleEnd, BundlePage, BundleSurvey } from '../../core/bundle/bundle-end.ts';
import { COLLECTIONS } from '../../domain/archive.ts';
import { DEFAULT_PAGE_ITEMS, KEPT_COLLECTIONS } from '../../domain/bundle.ts';
import type { Memory } from '../../operations/memory.ts';

type Administration = Pick<Memory, 'admin'>;

export function serviceEnd(memory: Administration): BundleEnd {
  const { admin } = memory;
  return {
    collections: COLLECTIONS.filter((name) => !KEPT_COLLECTIONS.has(name)),
    survey: () => surveyOf(memory),
    pages: (vectors) => pagesOf(memory, vectors),
    advanceVersions: async (latestVersion) => {
      await admin.importPage({ collection: 'users', items: [], latestVersion });
    },
    write: async (collection, items) => {
      const { embeddedCount } = await admin.importPage({ collection, items: items.map((item) => ({ ...item })) });
      return embeddedCount;
    },
  };
}

async function surveyOf({ admin }: Administration): Promise<BundleSurvey> {
  const { tenantId, counts = {}, latestVersion = 0 } = await admin.exportPage({ limit: 1, vectors: false });
  return { tenantId, counts, latestVersion };
}

async function* pagesOf({ admin }: Administration, vectors: boolean): AsyncGenerator<BundlePage> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await admin.exportPage({
      limit: DEFAULT_PAGE_ITEMS,
      vectors,
      ...(cursor !== undefined && { cursor }),
    });
    if (page.items.length > 0) yield { collection: page.collection, items: page.items };
    cursor = page.nextCursor;
  }
}
