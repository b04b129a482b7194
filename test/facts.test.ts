/** What facts refuse, how they travel over HTTP, and how they come to stand on their timelines. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { addFacts } from '../src/core/facts/add-facts.ts';
import type { Assertion } from '../src/core/facts/fact-draft.ts';
import { neighbours } from '../src/core/facts/neighbours.ts';
import { path } from '../src/core/facts/path.ts';
import { outlasts, resolve, saysTheSame } from '../src/core/facts/timeline.ts';
import { Budget } from '../src/core/facts/walk.ts';
import type { LaminaError } from '../src/domain/error.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { FactDraft } from '../src/ports/fact-store.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { dependenciesOn } from './maintenance-dependencies.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';
import { openLamina, serveLamina, untilTestEnds } from './running-lamina.ts';

const FACT = { factType: 'habit', subject: 'Ada', predicate: 'drinks', object: 'tea' };
const NOW = '2026-03-04T08:00:00.000Z';

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: unknown) => (error as LaminaError).code,
  );
}

describe('facts refuse', () => {
  it('what does not fit, and change nothing', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const { facts } = lamina.as({ userId: 'u', agentId: 'a' });
    for (const [more, code] of [
      [{ subject: '' }, 'VALIDATION_FAILED'],
      [{ object: 'x'.repeat(1025) }, 'VALIDATION_FAILED'],
      [{ factType: undefined }, 'VALIDATION_FAILED'],
      [{ predicate: 'with\0' }, 'VALIDATION_FAILED'],
      [{ confidence: 1.01 }, 'VALIDATION_FAILED'],
      [{ factId: 'mine' }, 'VALIDATION_FAILED'],
      [{ cardinality: 'two' }, 'VALIDATION_FAILED'],
      [{ validFrom: 'yesterday' }, 'VALIDATION_FAILED'],
      [{ validFrom: NOW, validTo: '2026-03-04T07:00:00Z' }, 'VALIDATION_FAILED'],
      [{ layer: 'galaxy' }, 'INVALID_LAYER'],
      [{ layer: 'project' }, 'MISSING_IDENTIFIER'],
      [{ identifiers: { userId: 'v' } }, 'FORBIDDEN'],
      [{ layer: 'agent', identifiers: { userId: 'u', agentId: 'b' } }, 'FORBIDDEN'],
      [{ metadata: { text: 'x'.repeat(64 * 1024) } }, 'LIMIT_EXCEEDED'],
    ] as const) {
      expect([more, await codeOf(facts.add({ ...FACT, ...more } as never))]).toEqual([more, code]);
    }
    const backward = { ...FACT, validFrom: NOW, validTo: '2026-03-04T07:00:00Z' };
    await expect(facts.addMany({ facts: [FACT, backward] })).rejects.toMatchObject({
      message: 'The input does not fit: facts.1.validTo: before validFrom.',
      details: { problems: [{ path: 'facts.1.validTo', message: 'before validFrom' }], index: 1 },
    });
    await expect(facts.addMany({ facts: [backward] })).rejects.toThrow(
      'does not fit: facts.0.validTo: before validFrom.',
    );
    await expect(facts.add(backward)).rejects.toThrow('does not fit: validTo: before validFrom.');
    for (const input of [{ minConfidence: 2 }, { limit: 101 }, { cursor: 'x' }, { asOf: 'now' }]) {
      expect(await codeOf(facts.list(input))).toBe('VALIDATION_FAILED');
    }
    // A cursor that only looks like one.
    const forged = Buffer.from(JSON.stringify([1, 'no id@1', 'x'])).toString('base64url');
    expect(await codeOf(facts.list({ cursor: forged }))).toBe('VALIDATION_FAILED');
    for (const hops of [0, 6]) expect(await codeOf(facts.neighbours({ subject: 'x', hops }))).toBe('VALIDATION_FAILED');
    expect(await codeOf(facts.path({ from: 'x', to: 'y', maxHops: 6 }))).toBe('VALIDATION_FAILED');
    expect((await facts.list({ includeClosed: true })).facts).toEqual([]);
    // Metadata may fit alone, and not together with what is there.
    const { fact } = await facts.add({ ...FACT, metadata: { a: 'x'.repeat(60_000) } });
    expect(await codeOf(facts.add({ ...FACT, metadata: { b: 'x'.repeat(60_000) } }))).toBe('LIMIT_EXCEEDED');
    expect(await facts.get({ factId: fact.factId })).toEqual(fact);
  });
});

it('facts of a user who is erased go, however many, and those of a group stay', async () => {
  const { lamina, root } = untilTestEnds(await openLamina());
  const { facts } = lamina.as({ userId: 'u' });
  const many = Array.from({ length: 450 }, (_, n) => ({ ...FACT, object: `drink ${n}` }));
  await facts.addMany({ facts: [...many, { ...FACT, layer: 'company' as const }] });
  const { counts, erasureId } = await root.admin.eraseUser({ userId: 'u' });
  expect(counts).toMatchObject({ facts: 450, users: 1 });
  expect(await root.admin.verifyErasure({ erasureId, userId: 'u' })).toMatchObject({ verified: true });
  expect((await facts.list({ includeClosed: true })).facts).toMatchObject([{ layer: 'company', object: 'tea' }]);
});

describe('facts over HTTP', () => {
  it('have a version that goes along as ETag and If-Match', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const { url } = untilTestEnds(await serveLamina(lamina));
    const call = (method: string, at: string, body?: object, headers = {}): Promise<Response> =>
      fetch(`${url}/v1/memory/facts${at}`, {
        method,
        headers: { 'X-User-ID': 'u', ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
    const written = await call('POST', '', { fact_type: 'a', subject: 'b', predicate: 'c', object: 'd e' });
    expect(written.status).toBe(201);
    const { fact, status } = (await written.json()) as { fact: Record<string, unknown>; status: string };
    expect([status, fact['fact_type'], fact['valid_to']]).toEqual(['created', 'a', null]);
    const own = `/${String(fact['fact_id'])}`;
    const change = (version: number): Promise<Response> =>
      call('PATCH', own, { confidence: 0.5 }, { 'If-Match': `"${version}"` });
    const version = Number(fact['version']);
    expect((await change(version + 1)).status).toBe(409);
    expect((await change(version)).status).toBe(200);
    const found = await call('GET', '?object=d%20e&min_confidence=0.5&user_id=u&include_closed=true');
    expect(await found.json()).toMatchObject({ count: 1, next_cursor: null, facts: [{ confidence: 0.5 }] });
    const near = await call('GET', '/neighbours?subject=b&predicates=c&predicates=x&hops=2');
    expect(await near.json()).toMatchObject({ nodes: [{ node: 'd e', distance: 1 }], truncated: false });
    const way = await call('GET', '/path?from=d%20e&to=b&max_hops=1');
    expect(await way.json()).toMatchObject({ path: [{ fact_id: fact['fact_id'] }] });
    expect((await call('DELETE', own)).status).toBe(204);
    expect((await call('GET', own)).status).toBe(404);
    expect((await call('DELETE', own)).status).toBe(404);
  });
});

describe('a walk', () => {
  it('looks at no more than it can afford, and says so', async () => {
    const folder = await makeFolder();
    const engine = new SqliteEngine({ folder, clock: systemClock });
    onTestFinished(async () => {
      await engine.close();
      await removeFolder(folder);
    });
    const dependencies = dependenciesOn(engine, systemClock);
    const principal = { tenantId: NIL_TENANT, userId: 'u' };
    const edge = (subject: string, object: string) => ({ ...FACT, predicate: 'to', subject, object });
    const spokes = Array.from({ length: 300 }, (_, n) => edge('hub', `spoke ${n}`));
    await addFacts(dependencies, principal, [...spokes, edge('spoke 299', 'goal')], true);
    const near = await neighbours(dependencies, principal, { subject: 'hub', limit: 1000 }, new Budget(100));
    expect([near.nodes.length, near.facts.length, near.truncated]).toEqual([100, 100, true]);
    const whole = await neighbours(dependencies, principal, { subject: 'hub', limit: 1000 }, new Budget(300));
    expect([whole.nodes.length, whole.truncated]).toEqual([300, false]);
    // From the narrow end the hub is no obstacle; but who did not look everywhere does not know.
    const way = await path(dependencies, principal, { from: 'hub', to: 'goal' }, new Budget(100));
    expect([way.path?.map(({ object }) => object), way.truncated]).toEqual([['spoke 299', 'goal'], true]);
    const none = await path(dependencies, principal, { from: 'hub', to: 'nowhere' }, new Budget(100));
    expect(none).toEqual({ path: null, truncated: true });
    const sure = await path(dependencies, principal, { from: 'goal', to: 'nowhere', direction: 'out' });
    expect(sure).toEqual({ path: null, truncated: false });
  });
});

/** Facts as `resolve` leaves them: what a store would hold. */
class Store {
  readonly facts = new Map<string, FactDraft>();
  #count = 0;

  add(change: Partial<FactDraft>, isSingle: boolean, given: Assertion['given'] = {}): string {
    this.#count += 1;
    const draft: FactDraft = {
      factId: String(this.#count),
      layer: 'user',
      identifiers: { userId: 'u' },
      ...FACT,
      confidence: given.confidence ?? 1,
      trust: 'user',
      metadata: {},
      validFrom: NOW,
      validTo: given.validTo ?? null,
      createdAt: NOW,
      updatedAt: NOW,
      ...change,
    };
    const { status, fact, closed } = resolve({ draft, isSingle, given }, [...this.facts.values()], NOW);
    for (const each of [...closed, fact]) this.facts.set(each.factId, each);
    return status;
  }

  at(time: string): string[] {
    return [...this.facts.values()]
      .filter((fact) => fact.validFrom <= time && outlasts(fact, time))
      .map(({ object }) => object)
      .toSorted();
  }
}

const dayOf = (day: number): string => `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`;

describe('a timeline', () => {
  it('never says the same twice at the same time, whatever comes in whatever order', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new SeededRandom(seed);
      const store = new Store();
      for (let n = 0; n < 20; n += 1) {
        const day = 1 + random.below(12);
        const end = random.below(4) === 0 ? { validTo: dayOf(day + random.below(4)) } : {};
        const object = random.pick(['tea', 'milk', 'rum']);
        store.add({ object, validFrom: dayOf(day) }, random.below(2) === 0, end);
      }
      const facts = [...store.facts.values()];
      for (const { validFrom, validTo } of facts) expect(validTo === null || validTo >= validFrom).toBe(true);
      for (const one of facts) {
        const overlapping = facts.filter(
          (other) =>
            other !== one &&
            saysTheSame(one, other) &&
            outlasts(other, one.validFrom) &&
            (one.validTo === null || other.validFrom < one.validTo) &&
            outlasts(one, other.validFrom),
        );
        expect([seed, overlapping]).toEqual([seed, []]);
      }
    }
  });

  it('of single values has one at a time, and the latest that began', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new SeededRandom(seed);
      const store = new Store();
      const began = new Map<number, string>();
      const at = (day: number): string | undefined => {
        const last = [...began.keys()]
          .filter((each) => each <= day)
          .toSorted((a, b) => a - b)
          .at(-1);
        return last === undefined ? undefined : began.get(last);
      };
      for (let n = 0; n < 20; n += 1) {
        const [day, object] = [1 + random.below(12), random.pick(['tea', 'milk', 'rum'])];
        const isKnown = at(day) === object;
        expect(store.add({ object, validFrom: dayOf(day) }, true)).toBe(isKnown ? 'unchanged' : 'created');
        if (!isKnown) began.set(day, object);
      }
      for (let day = 1; day <= 13; day += 1) {
        expect(store.at(dayOf(day))).toEqual([at(day)].filter((object) => object !== undefined));
      }
    }
  });

  it('raises what is said again, and lowers nothing', () => {
    const store = new Store();
    store.add({}, false, { confidence: 0.5 });
    expect(store.add({ factId: 'x' }, false)).toBe('unchanged');
    expect(store.add({}, false, { confidence: 0.4 })).toBe('unchanged');
    expect(store.add({}, false, { confidence: 0.9, metadata: { a: 1 } })).toBe('updated');
    expect(store.add({}, true, { source: { type: 'manual' } })).toBe('updated');
    expect([...store.facts.values()]).toMatchObject([
      { confidence: 0.9, metadata: { a: 1 }, source: { type: 'manual' }, validTo: null },
    ]);
  });
});
