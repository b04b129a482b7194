/** Reading facts by what they say, how certain they are and when they hold; page by page. */

import { z } from 'zod';
import { invalidField } from '../../domain/error.ts';
import { factReach, type Fact, type ListFactsInput, type ListFactsOutput } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Layer, Identifiers, Scope } from '../../domain/scope.ts';
import type { FactQuery } from '../../ports/fact-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Bookmark } from '../paging/cursor.ts';
import { pageOf } from '../paging/page.ts';
import { isoAt, utc } from '../records/record.ts';
import { identifiersOf, scopesOf } from '../scoping.ts';

/** The scopes that a caller means and sees. Throws `MISSING_IDENTIFIER` for a layer that lacks its own. */
export function reachOf(
  principal: Principal,
  { layer, identifiers }: { readonly layer?: Layer | undefined; readonly identifiers?: Identifiers | undefined },
): Scope[] {
  const scopes = scopesOf(identifiersOf(principal, identifiers), layer === undefined ? undefined : [layer]);
  return factReach(principal, scopes);
}

export async function listFacts(
  { facts, clock }: Dependencies,
  principal: Principal,
  { limit, cursor, asOf, includeClosed = false, layer, identifiers, ...conditions }: ListFactsInput,
): Promise<ListFactsOutput> {
  if (includeClosed && asOf !== undefined) throw invalidField('asOf', 'one time, or with includeClosed any time');
  const scopes = reachOf(principal, { layer, identifiers });
  const time: FactQuery['time'] = includeClosed ? 'any' : { at: asOf === undefined ? clock.now() : Date.parse(asOf) };
  const page = await pageOf<Fact>({
    // Not the time where none was given: the next page is of a later moment.
    list: { list: 'facts', scopes, conditions, includeClosed, asOf: asOf && utc(asOf) },
    cursor,
    limit,
    placeOf: ({ confidence, createdAt, factId }) => ({ at: Date.parse(createdAt), id: `${factId}@${confidence}` }),
    read: (count, after) =>
      facts.list(principal, { ...conditions, scopes, time, limit: count, after: after && positionOf(after) }),
  });
  return { facts: page.items, count: page.items.length, nextCursor: page.nextCursor };
}

const positionSchema = z.tuple([z.uuid(), z.coerce.number().min(0).max(1)]);

function positionOf({ at, id }: Bookmark): FactQuery['after'] {
  const parsed = positionSchema.safeParse(id.split('@'));
  if (!parsed.success) throw invalidField('cursor', 'broken; take it unchanged from the answer before');
  const [factId, confidence] = parsed.data;
  return { factId, confidence, createdAt: isoAt(at) };
}
