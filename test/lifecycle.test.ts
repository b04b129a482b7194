/** The rules of the life of a memory: which moves there are, how it fades, what a policy may say, what goes where. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shown } from '../src/core/lifecycle/shown.ts';
import { scoreOf, WEIGHTS } from '../src/core/recall/score.ts';
import { Embeddings } from '../src/core/remember/embeddings.ts';
import { revised } from '../src/core/remember/resolve.ts';
import { writeOf } from '../src/core/remember/write.ts';
import { currentRelevance, decayedRelevance, hasDecayed, rehearsal, type DecayConfig } from '../src/domain/decay.ts';
import type { Entry } from '../src/domain/entry.ts';
import { STATUSES } from '../src/domain/kind.ts';
import { assertMove, mayMove, type Status } from '../src/domain/lifecycle.ts';
import { lifecyclePolicy, periodMs, type LifecycleOptions } from '../src/domain/lifecycle-policy.ts';
import { isBroader, mayBePromoted } from '../src/domain/promotion.ts';
import { LAYERS } from '../src/domain/scope.ts';
import { EXAMPLE_ENTRY } from '../src/operations/entry-operations.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse(EXAMPLE_ENTRY.updatedAt);
const CONFLICT = expect.objectContaining({ code: 'VERSION_CONFLICT' });

/** Every move that there is, and no other. */
const LEGAL = [
  'null → active',
  'null → quarantined',
  'active → active',
  'active → decayed',
  'active → archived',
  'active → quarantined',
  'active → deleted',
  'decayed → decayed',
  'decayed → active',
  'decayed → archived',
  'decayed → quarantined',
  'decayed → deleted',
  'archived → archived',
  'archived → active',
  'archived → quarantined',
  'archived → deleted',
  'quarantined → quarantined',
  'quarantined → active',
  'quarantined → deleted',
];

const PAIRS = [null, ...STATUSES].flatMap((from) => STATUSES.map((to) => [from, to] as const));

describe('moves', () => {
  it.each(PAIRS)('%s → %s is made or refused, wherever it is asked for', (from, to) => {
    const isLegal = LEGAL.includes(`${from} → ${to}`);
    expect(mayMove(from, to)).toBe(isLegal);
    const previous: Entry | null = from && { ...EXAMPLE_ENTRY, status: from };
    const next: Entry = { ...EXAMPLE_ENTRY, status: to, version: 2, previousVersion: 1 };
    const before = structuredClone([previous, next]);
    const embeddings = new Embeddings(new HashEmbedder());
    // What is new has to be embedded first; here only the move matters.
    const write = (): unknown =>
      writeOf(next, previous, previous ? embeddings : ({ for: () => ({ embedding: undefined }) } as never));
    if (isLegal) expect(write()).toMatchObject({ entry: { status: to } });
    else expect(write).toThrow(CONFLICT);
    expect([previous, next]).toEqual(before);
  });

  it('can be told: the error says what can be done instead', () => {
    expect(() => assertMove('archived', 'decayed')).toThrow(
      /archived cannot become decayed: it can become active, quarantined, deleted/,
    );
    expect(() => assertMove('deleted', 'active')).toThrow(/stays so/);
  });

  it('lead to deleted from everywhere, and back from there nowhere', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STATUSES), { maxLength: 12 }), (walk) => {
        const seen: Status[] = ['active'];
        for (const next of walk) if (mayMove(seen.at(-1) ?? null, next)) seen.push(next);
        expect(seen.slice(0, -1)).not.toContain('deleted');
        expect(mayMove(seen.at(-1) ?? null, 'deleted')).toBe(!seen.includes('deleted'));
      }),
    );
  });

  it('are not made by an update: created is version 1, updated every later one, and the status stays', () => {
    for (const status of ['active', 'decayed', 'archived'] as const) {
      const updated = revised({ ...EXAMPLE_ENTRY, status }, { tags: ['new'] }, '2026-12-01T00:00:00.000Z');
      expect([updated.status, updated.version, updated.previousVersion]).toEqual([status, 2, 1]);
    }
  });
});

const DECAY: DecayConfig = { enabled: true, ratePerDay: 0.1, archiveThreshold: 0.1, exemptLayers: ['org'] };
const unit = fc.double({ min: 0, max: 1, noNaN: true });

describe('decay', () => {
  it('is the formula of the specification for what nobody has read', () => {
    fc.assert(
      fc.property(unit, unit, unit, fc.double({ min: 0, max: 1000, noNaN: true }), (relevance, rate, factor, days) => {
        const entry = { ...EXAMPLE_ENTRY, relevance, decayFactor: factor };
        const current = currentRelevance(entry, { ...DECAY, ratePerDay: rate }, NOW + days * DAY_MS);
        expect(current).toBeCloseTo(relevance * (1 - rate * factor) ** days, 9);
      }),
    );
  });

  it('never falls below 0 or rises above what it was, and an access strengthens', () => {
    const accesses = fc.nat({ max: 1000 });
    fc.assert(
      fc.property(
        unit,
        unit,
        fc.nat({ max: 400 }),
        fc.nat({ max: 400 }),
        accesses,
        (relevance, rate, first, second, count) => {
          const config = { ...DECAY, ratePerDay: rate };
          const now = NOW + (first + second) * DAY_MS;
          const entry = { ...EXAMPLE_ENTRY, relevance, accessCount: count };
          const read = {
            ...entry,
            accessCount: count + 1,
            lastAccessedAt: new Date(NOW + first * DAY_MS).toISOString(),
          };
          const [without, withIt] = [
            currentRelevance(entry, config, now) ?? -1,
            currentRelevance(read, config, now) ?? -1,
          ];
          expect(without).toBeGreaterThanOrEqual(0);
          expect(withIt).toBeLessThanOrEqual(relevance);
          expect(withIt).toBeGreaterThanOrEqual(without);
        },
      ),
    );
    expect([rehearsal(0), rehearsal(1), rehearsal(15)]).toEqual([1, 1.25, 2]);
  });

  it('leaves alone what is exempt, archived or in a context, and everything while it is off', () => {
    const late = NOW + 100 * DAY_MS;
    expect(currentRelevance(EXAMPLE_ENTRY, { ...DECAY, enabled: false }, late)).toBeUndefined();
    expect(currentRelevance({ ...EXAMPLE_ENTRY, layer: 'org' }, DECAY, late)).toBeUndefined();
    expect(currentRelevance({ ...EXAMPLE_ENTRY, status: 'archived' }, DECAY, late)).toBeUndefined();
    const held = { ...EXAMPLE_ENTRY, identifiers: { userId: 'local', contextId: 'c' } };
    expect(currentRelevance(held, DECAY, late)).toBeUndefined();
    expect(currentRelevance(EXAMPLE_ENTRY, DECAY, NOW - DAY_MS)).toBe(1);
  });

  it('is shown beside what is stored: decayed once half of it is gone, or too little is left', () => {
    expect([hasDecayed(1, 0.5, DECAY), hasDecayed(1, 0.49, DECAY)]).toEqual([false, true]);
    expect([hasDecayed(0.1, 0.09, DECAY), hasDecayed(0.9, 0.6, { ...DECAY, archiveThreshold: 0.7 })]).toEqual([
      true,
      true,
    ]);
    const clock = new ManualClock(NOW);
    const lifecycle = lifecyclePolicy({ decay: DECAY });
    const seen = (): unknown => {
      const { status, relevance, currentRelevance: current } = shown({ lifecycle, clock }, EXAMPLE_ENTRY);
      return [status, relevance, current];
    };
    expect(seen()).toEqual(['active', 1, 1]);
    clock.advance(10 * DAY_MS);
    expect(seen()).toEqual(['decayed', 1, decayedRelevance(1, 0.1, 1, 10 * DAY_MS)]);
    const off = lifecyclePolicy();
    expect(shown({ lifecycle: off, clock }, EXAMPLE_ENTRY)).toBe(EXAMPLE_ENTRY);
  });

  it('takes no part in a score unless there is such a signal, and then only takes away', () => {
    const signals = { text: 0.3, vector: 0.4, recency: 1, importance: 0.5, confidence: 1 };
    const without = scoreOf(signals, WEIGHTS.hybrid);
    expect(scoreOf({ ...signals, relevance: 1 }, WEIGHTS.hybrid)).toBe(without);
    expect(scoreOf({ ...signals, relevance: 0.5 }, WEIGHTS.hybrid)).toBeLessThan(without);
  });
});

describe('a policy', () => {
  it('knows hours, days and weeks', () => {
    expect([periodMs('12h'), periodMs('7d'), periodMs('4w')]).toEqual([DAY_MS / 2, 7 * DAY_MS, 28 * DAY_MS]);
    for (const text of ['', '7', 'd', '0d', '-1d', '7 d', '1.5d', '7D', 'week', '999999d', '7d7d'])
      expect([text, periodMs(text)]).toEqual([text, undefined]);
  });

  it('is all off by default, takes what is given, and refuses what cannot be', () => {
    const { decay, consolidation, sessionCleanup } = lifecyclePolicy({ decay: { enabled: true } });
    expect([decay.enabled, consolidation.enabled, sessionCleanup.autoDelete, sessionCleanup.promoteImportant]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    const wrong = [
      { decay: { ratePerDay: 2 } },
      { decay: { exemptLayers: ['galaxy' as 'org'] } },
      { consolidation: { maxMemoriesBeforeTrigger: 0 } },
      { sessionCleanup: { retentionPeriod: 'a week' } },
      { events: { retentionPeriod: '0d' } },
      { nope: {} } as LifecycleOptions,
      { decay: { nope: 1 } as LifecycleOptions['decay'] & object },
    ];
    for (const options of wrong)
      expect(() => lifecyclePolicy(options)).toThrow(expect.objectContaining({ code: 'CONFIGURATION_ERROR' }));
    expect(() => lifecyclePolicy({ sessionCleanup: { retentionPeriod: '7' } })).toThrow(
      /retentionPeriod.*12h, 7d or 4w/,
    );
  });
});

describe('a promotion', () => {
  it('goes to a broader layer, and never round in a circle', () => {
    for (const layer of LAYERS) expect(isBroader(layer, layer)).toBe(false);
    for (const a of LAYERS) for (const b of LAYERS) expect(isBroader(a, b) && isBroader(b, a)).toBe(false);
    expect([isBroader('user', 'session'), isBroader('project', 'user'), isBroader('company', 'agent')]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isBroader('session', 'user'), isBroader('agent', 'session'), isBroader('team', 'org')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is for what is public or internal', () => {
    const sensitivities = ['public', 'internal', 'confidential', 'restricted'] as const;
    expect(sensitivities.filter((sensitivity) => mayBePromoted({ sensitivity }))).toEqual(['public', 'internal']);
  });
});
