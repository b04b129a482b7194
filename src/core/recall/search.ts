/** Searching the layers that a principal's identifiers open. */

import { reachOf } from '../../domain/access.ts';
import type { Principal } from '../../domain/principal.ts';
import { TRUSTS, type Trust } from '../../domain/kind.ts';
import type { LeftOut, SearchInput, SearchOutput, SearchResult } from '../../domain/recall.ts';
import { isAtLeast, trustsFrom } from '../../domain/trust.ts';
import type { Dependencies } from '../dependencies.ts';
import { withShown } from '../lifecycle/shown.ts';
import { recordSearch } from '../receipts/record-search.ts';
import { indexedText } from '../remember/content.ts';
import { identifiersOf, scopesOf } from '../scoping.ts';
import { queryTerms } from '../text/lexemes.ts';
import { matchedWords } from '../text/matches.ts';
import { momentOf } from './as-of.ts';
import { pastReachOf } from './as-of-changes.ts';
import { recall, type Recalled } from './recall.ts';

export async function search(
  dependencies: Dependencies,
  principal: Principal,
  input: SearchInput,
): Promise<SearchOutput> {
  const { clock } = dependencies;
  const { layers, kinds, filter, identifiers, includeArchived = false, asOf, explain = false, minTrust } = input;
  const scopes = scopesOf(identifiersOf(principal, identifiers), layers);
  const shelf = includeArchived ? 'all' : 'active';
  const at = asOf === undefined ? undefined : momentOf(asOf, clock);
  const asked = (trusts: readonly Trust[] | undefined): Promise<Recalled> => {
    const past = at === undefined ? undefined : pastReachOf(principal, scopes, { kinds, shelf, filter, trusts }, at);
    const reach = past?.unchanged ?? { partitions: reachOf(principal, scopes, kinds, shelf), filter, trusts };
    return recall(dependencies, principal, reach, input, past);
  };
  const begun = clock.now();
  const found = await asked(minTrust && trustsFrom(minTrust));
  const { total, withheld, warnings, trace, leftOut } = found;
  const results = explain ? withMatches(found.results, input.query) : found.results;
  const output: SearchOutput = {
    results: at !== undefined ? results : results.map((result) => withShown(dependencies, result)),
    totalCount: total,
    ...(input.maxSensitivity !== undefined && { withheld }),
    searchedLayers: scopes.map(({ layer }) => layer),
    ...(warnings.length > 0 && { warnings }),
    ...(explain && { leftOut: withDistrusted(await leftOut(), await distrusted(asked, minTrust)) }),
  };
  if (input.record !== true) return output;
  const durationMs = clock.now() - begun;
  return recordSearch(dependencies, principal, { input, output, trace: trace(), durationMs });
}

/** How many would have been found, were they trusted. */
async function distrusted(
  asked: (trusts: readonly Trust[]) => Promise<Recalled>,
  minTrust: Trust | undefined,
): Promise<number> {
  const others = minTrust === undefined ? [] : TRUSTS.filter((trust) => !isAtLeast(trust, minTrust));
  return others.length === 0 ? 0 : (await asked(others)).total;
}

function withDistrusted(leftOut: LeftOut, trust: number): LeftOut {
  return { ...leftOut, counts: { ...leftOut.counts, trust } };
}

function withMatches(results: readonly SearchResult[], query: string): SearchResult[] {
  const terms = new Set(queryTerms(query));
  return results.map((result) => ({ ...result, matched: matchedWords(indexedText(result.memory), terms) }));
}
