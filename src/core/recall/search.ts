/** Searching the layers that a principal's identifiers open. */

import { reachOf } from '../../domain/access.ts';
import type { Principal } from '../../domain/principal.ts';
import type { SearchInput, SearchOutput, SearchResult } from '../../domain/recall.ts';
import type { Dependencies } from '../dependencies.ts';
import { withShown } from '../lifecycle/shown.ts';
import { recordSearch } from '../receipts/record-search.ts';
import { indexedText } from '../remember/content.ts';
import { identifiersOf, scopesOf } from '../scoping.ts';
import { queryTerms } from '../text/lexemes.ts';
import { matchedWords } from '../text/matches.ts';
import { momentOf } from './as-of.ts';
import { pastReachOf } from './as-of-changes.ts';
import { recall } from './recall.ts';

export async function search(
  dependencies: Dependencies,
  principal: Principal,
  input: SearchInput,
): Promise<SearchOutput> {
  const { clock } = dependencies;
  const { layers, kinds, filter, identifiers, includeArchived = false, asOf, explain = false } = input;
  const scopes = scopesOf(identifiersOf(principal, identifiers), layers);
  const shelf = includeArchived ? 'all' : 'active';
  const past =
    asOf === undefined ? undefined : pastReachOf(principal, scopes, { kinds, shelf, filter }, momentOf(asOf, clock));
  const reach = past?.unchanged ?? { partitions: reachOf(principal, scopes, kinds, shelf), filter };
  const begun = clock.now();
  const found = await recall(dependencies, principal, reach, input, past);
  const { total, withheld, warnings, trace, leftOut } = found;
  const results = explain ? withMatches(found.results, input.query) : found.results;
  const output: SearchOutput = {
    results: past ? results : results.map((result) => withShown(dependencies, result)),
    totalCount: total,
    ...(input.maxSensitivity !== undefined && { withheld }),
    searchedLayers: scopes.map(({ layer }) => layer),
    ...(warnings.length > 0 && { warnings }),
    ...(explain && { leftOut: await leftOut() }),
  };
  if (input.record !== true) return output;
  const durationMs = clock.now() - begun;
  return recordSearch(dependencies, principal, { input, output, trace: trace(), durationMs });
}

function withMatches(results: readonly SearchResult[], query: string): SearchResult[] {
  const terms = new Set(queryTerms(query));
  return results.map((result) => ({ ...result, matched: matchedWords(indexedText(result.memory), terms) }));
}
