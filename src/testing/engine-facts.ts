/** Engine contract: facts in transactions, by their scopes, along their edges; and nothing left of what was removed. */

import assert from 'node:assert/strict';
import { LaminaError } from '../domain/error.ts';
import type { Principal } from '../domain/principal.ts';
import type { Scope } from '../domain/scope.ts';
import type { EdgeQuery, FactDraft, FactQuery, FactStore } from '../ports/fact-store.ts';
import { failure, nth } from './contract-assertions.ts';
import type { TestRunner } from './contract-subject.ts';
import { engineTest, OTHER_TENANT, TENANT, userOf, type OpenEngine } from './engine-subject.ts';
import { entryOf, writeOf } from './entry-write.ts';

const TIME = '2026-03-04T08:00:00.000Z';
const OURS: Scope = { layer: 'project', identifiers: { projectId: 'p' } };
const own = (userId: string): Scope => ({ layer: 'user', identifiers: { userId } });

let drafts = 0;

function factDraft(scope: Scope, more: Partial<FactDraft> = {}): FactDraft {
  drafts += 1;
  return {
    factId: `018f0000-0000-7000-8000-${drafts.toString(16).padStart(12, '0')}`,
    ...scope,
    factType: 't',
    subject: 's',
    predicate: 'p',
    object: 'o',
    confidence: 1,
    trust: 'user',
    metadata: {},
    validFrom: TIME,
    validTo: null,
    createdAt: TIME,
    updatedAt: TIME,
    ...more,
  };
}

const all = (scopes: readonly Scope[]): FactQuery => ({ scopes, time: 'any', limit: 100 });

const insert = (facts: FactStore, principal: Principal, ...given: FactDraft[]): Promise<unknown> =>
  facts.transaction(principal, (tx) => tx.insert(given));

export function engineFacts(runner: TestRunner, open: OpenEngine): void {
  const test = engineTest(runner, open);
  runner.describe('facts', () => {
    test('have versions that never repeat, and are as they were written', async ({ engine: { facts } }) => {
      const draft = factDraft(OURS, { metadata: { big: 1e21, list: [null, 'ü'] }, confidence: 0.1 + 0.2 });
      const [written] = await facts.transaction(TENANT, (tx) => tx.insert([draft]));
      assert.deepEqual(await facts.find(TENANT, draft.factId), written);
      assert.deepEqual({ ...written, version: undefined }, { ...draft, version: undefined });
      const [replaced] = await facts.transaction(TENANT, (tx) => tx.replace([{ ...draft, confidence: 1 }]));
      await facts.transaction(TENANT, (tx) => tx.remove([draft.factId]));
      const [again] = await facts.transaction(TENANT, (tx) => tx.insert([draft]));
      assert.equal(new Set([written, replaced, again].map((fact) => fact?.version)).size, 3);
    });

    test('of a transaction that fails are not there, and its ids are free', async ({ engine: { facts } }) => {
      const [kept, lost] = [factDraft(OURS), factDraft(OURS, { object: 'lost' })];
      await insert(facts, TENANT, kept);
      await failure('VERSION_CONFLICT', insert(facts, TENANT, lost, { ...kept, ...own('u') }));
      // Also one that cannot be seen is taken.
      await failure('VERSION_CONFLICT', insert(facts, userOf('v'), { ...kept, ...own('v') }));
      const found = await facts.list(TENANT, all([OURS, own('u'), own('v')]));
      assert.deepEqual(
        found.map(({ factId }) => factId),
        [kept.factId],
      );
      await insert(facts, TENANT, lost);
      await insert(facts, OTHER_TENANT, kept);
      assert.equal((await facts.list(OTHER_TENANT, all([OURS]))).length, 1);
    });

    test('in a transaction of entries come and go with it', async ({ engine: { entries, facts } }) => {
      const [entry, fact] = [entryOf({ content: 'source' }), factDraft(OURS)];
      const write = await writeOf(entry);
      await failure(
        'UNAVAILABLE',
        entries.transaction(TENANT, async (tx) => {
          await tx.facts.insert([fact]);
          await tx.insert([write]);
          throw new LaminaError('UNAVAILABLE', 'Something fails in the end.');
        }),
      );
      assert.deepEqual([await facts.find(TENANT, fact.factId), await entries.find(TENANT, [entry.id])], [null, []]);
      await entries.transaction(TENANT, async (tx) => {
        await tx.insert([write]);
        await tx.facts.insert([fact]);
      });
      assert.equal((await facts.find(TENANT, fact.factId))?.object, 'o');
      await entries.transaction(TENANT, async (tx) => {
        await tx.facts.remove((await tx.facts.find([fact.factId])).map(({ factId }) => factId));
        await tx.remove([entry.id]);
      });
      assert.deepEqual([await facts.find(TENANT, fact.factId), await entries.find(TENANT, [entry.id])], [null, []]);
    });

    test('are found in the scopes that are asked for, and along their edges', async ({ engine: { facts } }) => {
      const [ada, bob] = [own('ada'), own('bob')];
      await insert(facts, userOf('ada'), factDraft(ada, { object: 'x' }), factDraft(OURS, { object: 'y' }));
      await insert(facts, userOf('bob'), factDraft(bob, { object: 'z', validTo: '2026-03-05T08:00:00.000Z' }));
      const objects = async (principal: Principal, query: Partial<FactQuery>): Promise<string[]> =>
        (await facts.list(principal, { ...all([OURS]), ...query })).map(({ object }) => object).toSorted();
      assert.deepEqual(await objects(userOf('ada'), { scopes: [ada, OURS] }), ['x', 'y']);
      assert.deepEqual(await objects(userOf('bob'), { scopes: [bob] }), ['z']);
      assert.deepEqual(await objects(userOf('bob'), { scopes: [] }), []);
      // A moment belongs to what begins then, and not to what ends.
      for (const [day, count] of [
        ['03', 0],
        ['04', 1],
        ['05', 0],
      ] as const) {
        const time = { at: Date.parse(`2026-03-${day}T08:00:00.000Z`) };
        assert.equal((await objects(userOf('bob'), { scopes: [bob], time })).length, count);
      }
      const walk: EdgeQuery = {
        scopes: [ada, OURS],
        nodes: ['s', 'y'],
        direction: 'out',
        at: Date.parse(TIME),
        limit: 9,
      };
      const edges = async (more: Partial<EdgeQuery>): Promise<number> =>
        new Set((await facts.edges(userOf('ada'), { ...walk, ...more })).map(({ factId }) => factId)).size;
      assert.equal(await edges({}), 2);
      assert.equal(await edges({ direction: 'in' }), 1);
      assert.equal(await edges({ direction: 'both', predicates: ['p'] }), 2);
      assert.equal(await edges({ predicates: ['q'] }), 0);
      assert.equal(await edges({ limit: 1 }), 1);
      assert.equal(await edges({ at: Date.parse(TIME) - 1 }), 0);
    });

    test('of a timeline are those that have not ended, by what they say', async ({ engine: { facts } }) => {
      const ended = factDraft(OURS, { object: 'old', validTo: '2026-03-05T08:00:00.000Z' });
      const others = [{ factType: 'u' }, { subject: 'x' }, { predicate: 'q' }].map((more) => factDraft(OURS, more));
      const current = [factDraft(OURS, { object: 'new' }), factDraft(OURS, { object: 'newer' })];
      await insert(facts, TENANT, ended, ...others, ...current);
      const ask = { scope: OURS, factType: 't', subject: 's', predicate: 'p', from: TIME };
      const objects = (more: object): Promise<string[]> =>
        facts.transaction(TENANT, async (tx) =>
          (
            await tx.timelines([
              { ...ask, ...more },
              { ...ask, object: 'new' },
            ])
          )
            .map(({ object }) => object)
            .toSorted(),
        );
      assert.deepEqual(await objects({}), ['new', 'newer', 'old']);
      assert.deepEqual(await objects({ from: ended.validTo ?? '' }), ['new', 'newer']);
      assert.deepEqual(await objects({ object: 'old' }), ['new', 'old']);
      assert.deepEqual(await objects({ scope: own('u') }), ['new']);
    });

    test('that were removed leave nothing behind', async ({ engine: { facts }, residue }) => {
      const words = ['quokkaquokka', 'numbatnumbat', 'bilbybilbyby', 'wombatwombat'] as const;
      const [subject, predicate, object, projectId] = words;
      const scope: Scope = { layer: 'project', identifiers: { projectId } };
      const many = Array.from({ length: 40 }, (_, n) =>
        factDraft(scope, { subject: `${subject} ${n}`, predicate, object, metadata: { object } }),
      );
      await insert(facts, TENANT, ...many, factDraft(OURS));
      await facts.transaction(TENANT, (tx) => tx.remove(many.map(({ factId }) => factId)));
      assert.deepEqual(await facts.list(TENANT, all([scope])), []);
      assert.equal((await facts.list(TENANT, all([OURS]))).length, 1);
      const traces = words.map((word) => new TextEncoder().encode(word.slice(3)));
      const bytes = Buffer.from(nth(many).factId.replaceAll('-', ''), 'hex');
      if (residue) assert.deepEqual(await residue([...traces, bytes]), []);
    });
  });
}
