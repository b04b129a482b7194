/** The filters of the specification, for servers that have others. */

import type { MetadataFilter } from '../domain/filter.ts';
import { canonicalJson } from '../domain/json.ts';
import type { MemoryMetadata } from '../domain/provider.ts';

/** Whether all given conditions hold. */
export function passesFilter(metadata: MemoryMetadata, filter: MetadataFilter | undefined): boolean {
  if (filter === undefined) return true;
  const { tags, sourceType, hasKnowledgePointer, custom } = filter;
  if (tags && !tags.some((tag) => metadata.tags?.includes(tag))) return false;
  if (sourceType !== undefined && metadata.source?.type !== sourceType) return false;
  if (hasKnowledgePointer !== undefined && hasKnowledgePointer !== (metadata.knowledgePointer !== undefined)) {
    return false;
  }
  return Object.entries(custom ?? {}).every(
    ([name, value]) => Object.hasOwn(metadata, name) && canonicalJson(metadata[name]) === canonicalJson(value),
  );
}
