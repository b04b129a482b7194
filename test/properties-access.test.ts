/** Properties of scopes and access: keys that cannot be confused, and a reach that is exactly what may be read. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertMayWriteScope,
  defaultVisibility,
  mayRead,
  mayWrite,
  ownerOf,
  partitionKey,
  partitionOf,
  reachOf,
  VISIBILITIES,
  type Placement,
} from '../src/domain/access.ts';
import { KINDS } from '../src/domain/kind.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import {
  accessibleLayers,
  IDENTIFIER_NAMES,
  LAYERS,
  REQUIRED_IDENTIFIERS,
  scopeKey,
  scopeOf,
  type Identifiers,
  type Scope,
} from '../src/domain/scope.ts';

/** Few names, so that they meet, and such as a careless key would confuse. */
const name = fc.oneof(
  fc.constantFrom('u', 'u1', 'u10', 'u","u', '["u"]', '', ' ', '\\', '\\"', ',', '·', 'null', '%'),
  fc.string({ maxLength: 4 }),
);

const identifiers: fc.Arbitrary<Identifiers> = fc.record(
  Object.fromEntries(IDENTIFIER_NAMES.map((each) => [each, name])) as Record<
    (typeof IDENTIFIER_NAMES)[number],
    typeof name
  >,
);

const scope: fc.Arbitrary<Scope> = fc
  .tuple(fc.constantFrom(...LAYERS), identifiers)
  .map(([layer, ids]) => scopeOf(layer, ids));

const user = name.filter((text) => text !== '');

const principal: fc.Arbitrary<Principal> = fc
  .record({ userId: user, agentId: fc.option(user, { nil: undefined }) })
  .map(({ userId, agentId }) => ({ tenantId: NIL_TENANT, userId, ...(agentId !== undefined && { agentId }) }));

/** Entries as they can come about: somebody with the right to do so wrote them. */
const placement: fc.Arbitrary<Placement> = fc
  .record({
    writer: principal,
    scope,
    kind: fc.constantFrom(...KINDS),
    given: fc.option(fc.constantFrom(...VISIBILITIES)),
  })
  .filter(({ writer, scope: place }) => {
    try {
      assertMayWriteScope(writer, place);
      return true;
    } catch {
      return false;
    }
  })
  .map(({ writer, scope: place, kind, given }) => {
    const visibility = given ?? defaultVisibility(place, kind);
    return { scope: place, kind, visibility, ownerId: ownerOf(writer, place, kind, visibility) };
  });

const isSameScope = (a: Scope, b: Scope): boolean =>
  a.layer === b.layer && REQUIRED_IDENTIFIERS[a.layer].every((each) => a.identifiers[each] === b.identifiers[each]);

describe('scopes', () => {
  it('have equal keys exactly when they are equal', () => {
    fc.assert(
      fc.property(scope, scope, (a, b) => {
        expect(scopeKey(a) === scopeKey(b)).toBe(isSameScope(a, b));
      }),
      { numRuns: 2000 },
    );
  });

  it('hold the identifiers that their layer requires, and no others', () => {
    fc.assert(
      fc.property(scope, ({ layer, identifiers: own }) => {
        expect(Object.keys(own).toSorted()).toEqual([...REQUIRED_IDENTIFIERS[layer]].toSorted());
      }),
    );
  });

  it('are accessible when their identifiers are there, and more identifiers open more', () => {
    const some = fc.subarray([...IDENTIFIER_NAMES]);
    fc.assert(
      fc.property(some, fc.constantFrom(...IDENTIFIER_NAMES), (names, extra) => {
        const give = (each: readonly string[]): Identifiers => Object.fromEntries(each.map((one) => [one, 'x']));
        const layers = accessibleLayers(give(names));
        expect(layers).toEqual(
          LAYERS.filter((layer) => REQUIRED_IDENTIFIERS[layer].every((one) => names.includes(one))),
        );
        expect(accessibleLayers(give([...names, extra]))).toEqual(expect.arrayContaining(layers));
      }),
    );
  });
});

describe('access', () => {
  it('reaches the partition of an entry exactly when the entry may be read', () => {
    fc.assert(
      fc.property(principal, placement, (who, place) => {
        const reach = reachOf(who, [place.scope]).map(partitionKey);
        expect(reach.includes(partitionKey(partitionOf(place)))).toBe(mayRead(who, place));
      }),
      { numRuns: 3000 },
    );
  });

  it('reaches nothing of a scope that was not named', () => {
    fc.assert(
      fc.property(principal, placement, fc.array(scope, { maxLength: 4 }), (who, place, named) => {
        const others = named.filter((each) => !isSameScope(each, place.scope));
        expect(reachOf(who, others).map(partitionKey)).not.toContain(partitionKey(partitionOf(place)));
      }),
      { numRuns: 1000 },
    );
  });

  it('lets its owner read and change an entry, and everybody who may change it read it', () => {
    fc.assert(
      fc.property(principal, placement, (who, place) => {
        if (place.ownerId !== null) {
          const owner = { tenantId: NIL_TENANT, userId: place.ownerId };
          expect([mayRead(owner, place), mayWrite(owner, place)]).toEqual([true, true]);
        }
        if (mayWrite(who, place)) expect(mayRead(who, place)).toBe(true);
        if (mayWrite(who, place)) expect([null, who.userId]).toContain(place.ownerId);
      }),
      { numRuns: 1000 },
    );
  });

  it('gives entries that different people may read different partitions', () => {
    fc.assert(
      fc.property(placement, placement, principal, (one, other, who) => {
        if (partitionKey(partitionOf(one)) === partitionKey(partitionOf(other))) {
          expect(mayRead(who, one)).toBe(mayRead(who, other));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('has a writer who can read what was just written', () => {
    fc.assert(
      fc.property(
        principal,
        scope,
        fc.constantFrom(...KINDS),
        fc.constantFrom(...VISIBILITIES),
        (who, place, kind, visibility) => {
          try {
            assertMayWriteScope(who, place);
          } catch {
            return;
          }
          const written = { scope: place, kind, visibility, ownerId: ownerOf(who, place, kind, visibility) };
          expect([mayRead(who, written), mayWrite(who, written)]).toEqual([true, true]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
