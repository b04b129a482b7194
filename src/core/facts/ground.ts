/** Over which facts a walk goes. */

import type { NeighboursInput, PathInput } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { reachOf } from './list-facts.ts';
import type { Ground } from './walk.ts';

export function groundOf(
  { clock }: Dependencies,
  principal: Principal,
  input: Pick<NeighboursInput & PathInput, 'layer' | 'identifiers' | 'predicates' | 'asOf'>,
): Ground {
  const { predicates, asOf } = input;
  return {
    scopes: reachOf(principal, input),
    predicates: predicates && [...new Set(predicates)],
    at: asOf === undefined ? clock.now() : Date.parse(asOf),
  };
}
