/** Contract: facts are seen and changed by exactly those who may. */

import assert from 'node:assert/strict';
import { assertSameMembers, failure } from './contract-assertions.ts';
import type { MemorySubject, MemoryTest } from './contract-subject.ts';
import { objects } from './fact-inputs.ts';
import { canSee, isNamedBy, mayDo, principals, someDeed, someIdentifiers, type Known } from './isolation-model.ts';
import { SeededRandom } from './seeded-random.ts';

const PERSONAL = ['agent', 'user', 'session'];

/** The same rules as for entries: what a person has is private, what a group has is the group's. */
export function factIsolationContract(test: MemoryTest): void {
  test('are seen and changed by exactly those who may, of random principals', async (subject) => {
    const random = new SeededRandom(21);
    const known = await populate(subject, random);
    // Every other one is half of each sort.
    for (const [turn, principal] of principals()
      .filter((_, index) => index % 2 === 0)
      .entries()) {
      const { facts } = subject.as(principal);
      const identifiers = someIdentifiers(random, turn % 2 === 0 ? principal.userId : undefined);
      const seen = await facts.list({ identifiers, limit: 100 });
      const visible = known.filter((one) => isNamedBy(identifiers, one) && canSee(principal, one));
      assertSameMembers(
        objects(seen.facts),
        visible.map(({ content }) => content),
      );
      const near = await facts.neighbours({ subject: 'hub', identifiers });
      assertSameMembers(
        near.nodes.map(({ node }) => node),
        visible.map(({ content }) => content),
      );
      for (const one of known.filter((_, index) => index % 12 === turn % 12)) {
        const isSeen = canSee(principal, one);
        assert.equal((await facts.get({ factId: one.id }))?.object, isSeen ? one.content : undefined);
        const updating = facts.update({ factId: one.id, metadata: { turn } });
        if (isSeen) assert.equal((await updating).metadata['turn'], turn);
        else await failure('NOT_FOUND', updating);
        if (!isSeen) assert.deepEqual(await facts.delete({ factId: one.id }), { success: false });
      }
    }
  });
}

/** Lets random principals write; whether they may is up to the model. */
async function populate(subject: MemorySubject, random: SeededRandom): Promise<Known[]> {
  const known: Known[] = [];
  for (let count = 0; count < 40; count += 1) {
    const some = someDeed(random);
    const deed = {
      ...some,
      kind: 'semantic' as const,
      visibility: PERSONAL.includes(some.layer) ? ('private' as const) : ('shared' as const),
    };
    const { principal, layer, identifiers, content } = deed;
    const statement = { factType: 't', subject: 'hub', predicate: 'p', object: content };
    const adding = subject.as(principal).facts.add({ ...statement, layer, identifiers });
    if (mayDo(deed)) known.push({ ...deed, id: (await adding).fact.factId });
    else await failure('FORBIDDEN', adding);
  }
  return known;
}
