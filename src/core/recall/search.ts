/** Searching the layers that a principal's identifiers open. */

import { reachOf } from '../../domain/access.ts';
import type { Principal } from '../../domain/principal.ts';
import type { SearchInput, SearchOutput } from '../../domain/recall.ts';
import type { Dependencies } from '../dependencies.ts';
import { identifiersOf, scopesOf } from '../scoping.ts';
import { recall } from './recall.ts';

export async function search(
  dependencies: Dependencies,
  principal: Principal,
  input: SearchInput,
): Promise<SearchOutput> {
  const { layers, kinds, filter, identifiers, includeArchived = false } = input;
  const scopes = scopesOf(identifiersOf(principal, identifiers), layers);
  const partitions = reachOf(principal, scopes, kinds, includeArchived ? 'all' : 'active');
  const { results, total, warnings } = await recall(dependencies, principal, { partitions, filter }, input);
  return {
    results,
    totalCount: total,
    searchedLayers: scopes.map(({ layer }) => layer),
    ...(warnings.length > 0 && { warnings }),
  };
}
