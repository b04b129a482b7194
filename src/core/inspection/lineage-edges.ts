/** What the provenance of memories says of how one came of another. Pure. */

import type { Entry } from '../../domain/entry.ts';
import { RELATIONS, type LineageEdge } from '../../domain/inspection.ts';

type Named = readonly (string | undefined)[];

/** By how it came of them: the memories that a memory came from. */
function sourcesByRelation({ provenance = {} }: Entry): Record<LineageEdge['relation'], Named> {
  const { mergedFrom = [], alsoFrom = [], quotes = [], promotedFromEntry, derivedFrom = [] } = provenance;
  return {
    merged: mergedFrom,
    extracted: [...alsoFrom, ...quotes.map(({ entryId }) => entryId)],
    distilled: [],
    promoted: [promotedFromEntry],
    derived: derivedFrom,
  };
}

/** The same for those that came of it. */
function productsByRelation({ provenance = {} }: Entry): Record<LineageEdge['relation'], Named> {
  const { mergedInto, extractedInto = [], distilledInto, promotedTo } = provenance;
  return {
    merged: [mergedInto],
    extracted: extractedInto,
    distilled: [distilledInto],
    promoted: [promotedTo],
    derived: [],
  };
}

function idsIn(entry: Entry, byRelation: Record<string, Named>): string[] {
  return Object.values(byRelation).flatMap((ids) =>
    ids.flatMap((id) => (id === undefined || id === entry.id ? [] : id)),
  );
}

export function sourcesOf(entry: Entry): string[] {
  return idsIn(entry, sourcesByRelation(entry));
}

export function productsOf(entry: Entry): string[] {
  return idsIn(entry, productsByRelation(entry));
}

export function factsOf({ provenance }: Entry): readonly string[] {
  return provenance?.extractedFacts ?? [];
}

/** One for each two that belong together, by the most telling relation that either of them names. */
export function edgesAmong(entries: readonly Entry[]): LineageEdge[] {
  const ids = new Set(entries.map(({ id }) => id));
  const edges = new Map<string, LineageEdge>();
  const add = (from: string | undefined, to: string | undefined, relation: LineageEdge['relation']): void => {
    if (from === undefined || to === undefined || from === to || !ids.has(from) || !ids.has(to)) return;
    const key = `${from}>${to}`;
    if (!edges.has(key)) edges.set(key, { from, to, relation });
  };
  for (const relation of RELATIONS) {
    for (const entry of entries) {
      for (const source of sourcesByRelation(entry)[relation]) add(source, entry.id, relation);
      for (const product of productsByRelation(entry)[relation]) add(entry.id, product, relation);
    }
  }
  return [...edges.values()];
}
