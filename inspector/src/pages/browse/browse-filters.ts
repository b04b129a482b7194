/** The filters of the list as they stand in the address, and the list that they give. */

import { SHELVES } from '../../../../src/domain/access.ts';
import type { Entry } from '../../../../src/domain/entry.ts';
import { KINDS, type Kind } from '../../../../src/domain/kind.ts';
import { LAYERS, REQUIRED_IDENTIFIERS, type Layer } from '../../../../src/domain/scope.ts';
import type { Memory } from '../../api/ask.ts';
import type { PageOf } from '../../api/pages.ts';
import { identifiersOf } from '../../api/scope.ts';
import { me } from '../../api/me.ts';
import { queryListOf, queryOf } from '../../app/location.ts';
import { timeOf } from '../search/search-settings.ts';

const PAGE_SIZE = 100;

export interface BrowseFilters {
  readonly layer: Layer;
  readonly kinds: readonly Kind[];
  readonly status: (typeof SHELVES)[number];
  readonly tags: readonly string[];
  /** Nothing older than this. */
  readonly since: string | undefined;
  readonly asOf: string | undefined;
  readonly text: string;
  readonly identifiers: ReturnType<typeof identifiersOf>;
}

export function filtersInAddress(): BrowseFilters {
  const kinds = queryListOf('kinds');
  return {
    layer: LAYERS.find((one) => one === queryOf('layer')) ?? 'user',
    kinds: KINDS.filter((one) => kinds.includes(one)),
    status: SHELVES.find((one) => one === queryOf('status')) ?? 'active',
    tags: queryListOf('tags'),
    since: timeOf(queryOf('since')),
    asOf: timeOf(queryOf('as_of')),
    text: queryOf('text').trim(),
    identifiers: identifiersOf(),
  };
}

/** The id that this layer needs and that is not there yet, as the address names it. */
export function missingScope({ layer, identifiers }: BrowseFilters): string | undefined {
  const own = {
    userId: 'own',
    companyId: 'own',
    ...(me.value?.agentId !== undefined && { agentId: me.value.agentId }),
  };
  const missing = REQUIRED_IDENTIFIERS[layer].find((name) => ({ ...own, ...identifiers })[name] === undefined);
  return missing?.replace('Id', '');
}

/** One page of the list. With words to look for it is the best hundred. */
export async function loadEntries(
  memory: Memory,
  filters: BrowseFilters,
  cursor: string | undefined,
): Promise<PageOf<Entry>> {
  // No search goes through what waits for review.
  return filters.text === '' || filters.status === 'quarantined'
    ? listed(memory, filters, cursor)
    : found(memory, filters);
}

async function listed(memory: Memory, filters: BrowseFilters, cursor: string | undefined): Promise<PageOf<Entry>> {
  const { layer, status, since, asOf, identifiers, tags, kinds } = filters;
  const page = await memory.list({
    layer,
    status,
    limit: PAGE_SIZE,
    ...(kinds.length > 0 && { kinds: [...kinds] }),
    ...(tags.length > 0 && { filter: { tags: [...tags] } }),
    ...(identifiers !== undefined && { identifiers }),
    ...(asOf !== undefined && { asOf }),
    ...(cursor !== undefined && { cursor }),
  });
  // Newest first: with the first that is too old all that follow are.
  const end = since === undefined ? -1 : page.memories.findIndex(({ createdAt }) => createdAt < since);
  return {
    items: end === -1 ? page.memories : page.memories.slice(0, end),
    nextCursor: end === -1 ? page.nextCursor : null,
    totalCount: page.totalCount,
  };
}

async function found(memory: Memory, filters: BrowseFilters): Promise<PageOf<Entry>> {
  const { layer, status, since, asOf, identifiers, tags, kinds, text } = filters;
  const { results } = await memory.search({
    query: text,
    mode: 'keyword',
    threshold: 0,
    limit: PAGE_SIZE,
    explain: true,
    layers: [layer],
    ...(kinds.length > 0 && { kinds: [...kinds] }),
    ...(tags.length > 0 && { filter: { tags: [...tags] } }),
    ...(identifiers !== undefined && { identifiers }),
    ...(asOf !== undefined && { asOf }),
    ...(status !== 'active' && { includeArchived: true }),
  });
  const items = results
    .map((result) => result.memory)
    .filter((one) => status !== 'archived' || one.status === 'archived')
    .filter((one) => since === undefined || one.createdAt >= since);
  return { items, nextCursor: null, totalCount: items.length };
}
