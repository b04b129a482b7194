/** What inspection is made of: curves, percentiles, matched words, places in a plane. */

import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { labelOf } from '../src/core/inspection/label.ts';
import { queryTerms } from '../src/core/text/lexemes.ts';
import { matchedWords } from '../src/core/text/matches.ts';
import { currentRelevance, decayCurve, fadesBelow, type DecayConfig } from '../src/domain/decay.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { umapLayout } from '../src/embedding/umap/umap-layout.ts';
import { SqliteInspector } from '../src/engines/sqlite/sqlite-inspector.ts';
import { SqliteTenants } from '../src/engines/sqlite/sqlite-tenants.ts';
import { createOpenTelemetry } from '../src/telemetry/open-telemetry.ts';
import { ratesOf, since } from '../src/telemetry/latency-percentiles.ts';
import { SeededRandom } from '../src/testing/seeded-random.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder } from './sqlite-folder.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-15T00:00:00Z');
const DECAY: DecayConfig = { enabled: true, ratePerDay: 0.1, archiveThreshold: 0.2, exemptLayers: ['company'] };
const FADING = {
  layer: 'user',
  identifiers: { userId: 'alice' },
  status: 'active',
  relevance: 0.8,
  decayFactor: 0.5,
  accessCount: 15,
  updatedAt: '2026-11-01T00:00:00.000Z',
} as const;

describe('a decay curve', () => {
  it('goes from the last use over now to its end, and falls', () => {
    const points = decayCurve(FADING, DECAY, NOW, NOW + 30 * DAY_MS);
    expect(points[0]).toEqual({ at: Date.parse(FADING.updatedAt), relevance: 0.8 });
    expect(points.at(-1)?.at).toBe(NOW + 30 * DAY_MS);
    expect(points.find(({ at }) => at === NOW)?.relevance).toBe(currentRelevance(FADING, DECAY, NOW));
    const relevances = points.map(({ relevance }) => relevance);
    expect(relevances).toEqual(relevances.toSorted((a, b) => b - a));
  });

  it('is level where nothing fades, and begins now for what was written a moment ago', () => {
    const still = decayCurve({ ...FADING, layer: 'company' }, DECAY, NOW, NOW + DAY_MS);
    expect(new Set(still.map(({ relevance }) => relevance))).toEqual(new Set([0.8]));
    const fresh = decayCurve({ ...FADING, updatedAt: '2026-11-15T00:00:00.000Z' }, DECAY, NOW, NOW + DAY_MS);
    expect(fresh[0]).toEqual({ at: NOW, relevance: 0.8 });
  });

  it('tells when a level is crossed', () => {
    const at = fadesBelow(FADING, DECAY, DECAY.archiveThreshold) ?? 0;
    expect(currentRelevance(FADING, DECAY, at - DAY_MS)).toBeGreaterThan(0.2);
    expect(currentRelevance(FADING, DECAY, at)).toBeLessThanOrEqual(0.2);
    expect(fadesBelow({ ...FADING, decayFactor: 0 }, DECAY, 0.2)).toBeUndefined();
    expect(fadesBelow({ ...FADING, relevance: 0.1 }, DECAY, 0.2)).toBe(Date.parse(FADING.updatedAt));
  });
});

describe('matched words', () => {
  it('are those of the text, in whatever form the query has them', () => {
    const matched = (text: string, query: string): string[] => matchedWords(text, new Set(queryTerms(query)));
    expect(matched('She ran; the RUNNERS were running.', 'run')).toEqual(['ran', 'running']);
    expect(matched('Zürich, ZURICH and zurich', 'zürich')).toEqual(['Zürich', 'ZURICH', 'zurich']);
    expect(matched('我们去东京旅行', '东京')).toEqual(['东京']);
    expect(matched('nothing of it', 'tea')).toEqual([]);
  });
});

describe('labels', () => {
  it('are one line of whole characters', () => {
    expect(labelOf(' two\n\n lines ')).toBe('two lines');
    expect([...labelOf('😀'.repeat(200))]).toHaveLength(80);
    expect(labelOf('😀'.repeat(200)).isWellFormed()).toBe(true);
  });
});

describe('percentiles of a histogram', () => {
  const latencies = { boundaries: [1, 10, 100], counts: [50, 40, 9, 1], min: 0.5, max: 400 };

  it('lie in the bucket that holds them', () => {
    const rates = ratesOf(latencies, 3, 10);
    expect(rates).toMatchObject({ count: 100, errors: 3, perSecond: 10, p50Ms: 1 });
    expect(rates.p95Ms).toBeCloseTo(60, 5);
    expect(rates.p99Ms).toBe(100);
    expect(ratesOf(undefined, 0, 10)).toEqual({ count: 0, errors: 0, perSecond: 0 });
  });

  it('of a while are of what came since', () => {
    const now = { ...latencies, counts: [50, 60, 9, 1] };
    expect(ratesOf(since(now, latencies), 0, 2)).toMatchObject({ count: 20, perSecond: 10, p50Ms: 5.5 });
    expect(ratesOf(since(latencies, latencies), 0, 2)).toEqual({ count: 0, errors: 0, perSecond: 0 });
  });
});

describe('the vitals of a service', () => {
  it('count operations, errors and latencies by the metrics', async () => {
    const telemetry = createOpenTelemetry();
    untilTestEnds({ close: () => telemetry.shutdown() });
    const { lamina, root } = untilTestEnds(await openLamina({ telemetry }));
    await lamina.as({ userId: 'alice' }).add({ content: 'something', layer: 'user' });
    await lamina
      .as({ userId: 'alice' })
      .add({ content: '', layer: 'user' })
      .catch(() => {});
    const vitals = await root.admin.metrics({});
    expect(vitals).toMatchObject({ isMeasured: true, health: { status: 'healthy' } });
    const add = vitals.operations.find(({ operation }) => operation === 'add');
    expect(add).toMatchObject({ total: { count: 2, errors: 1 }, recent: { count: 2, errors: 1 } });
    expect(add?.total.p99Ms).toBeGreaterThan(0);
    expect(vitals.errors).toEqual([{ operation: 'add', code: 'VALIDATION_FAILED', count: 1 }]);
    expect(vitals.process.eventLoopDelayMs?.max).toBeGreaterThanOrEqual(0);
  });
});

describe('counting a file', () => {
  it('tells the same by a thread of its own', async () => {
    const folder = await makeFolder();
    const { lamina, close } = await openLamina({ folder });
    const alice = lamina.as({ userId: 'alice' });
    const { memory } = await alice.add({ content: 'the first', layer: 'user' });
    await alice.add({ content: 'the second', layer: 'user' });
    await alice.delete({ id: memory.id });
    await close();
    const tenants = new SqliteTenants({ folder, clock: systemClock });
    untilTestEnds({ close: () => tenants.close() });
    const [here, elsewhere] = [new SqliteInspector(tenants), new SqliteInspector(tenants, 0)];
    const principal = { tenantId: NIL_TENANT, userId: 'alice' };
    const now = systemClock.now();
    const mine = await elsewhere.tally(principal, 0, now);
    expect(mine).toEqual(await here.tally(principal, 0, now));
    expect(mine.groups).toMatchObject([{ layer: 'user', count: 1 }]);
    const all = await elsewhere.tallyTenant(NIL_TENANT, 0, now);
    expect(all).toEqual(await here.tallyTenant(NIL_TENANT, 0, now));
    expect(all.bytes).toBeGreaterThan(0);
    const nobody = '00000000-0000-4000-8000-000000000000';
    expect((await elsewhere.tallyTenant(nobody, 0, now)).groups).toEqual([]);
  });
});

/** Unit vectors around as many middles as there are groups, one group after the other. */
function clustered(groups: number, each: number, dimensions: number): Float32Array<ArrayBuffer> {
  const random = new SeededRandom(7);
  const values = new Float32Array(groups * each * dimensions);
  for (let row = 0; row < groups * each; row += 1) {
    const vector = Array.from({ length: dimensions }, (_, at) => {
      const isOwn = at % groups === Math.floor(row / each);
      return (isOwn ? 1 : 0) + 0.2 * (random.next() - 0.5);
    });
    const length = Math.hypot(...vector);
    values.set(
      vector.map((value) => value / length),
      row * dimensions,
    );
  }
  return values;
}

function distance(positions: Float32Array, a: number, b: number): number {
  const at = (index: number): number => positions[index] ?? 0;
  return Math.hypot(at(2 * a) - at(2 * b), at(2 * a + 1) - at(2 * b + 1));
}

describe('the layout', () => {
  const DIMENSIONS = 32;
  const landmarks = { values: clustered(3, 30, DIMENSIONS), dimensions: DIMENSIONS };

  it('puts what is alike together, always in the same places', async () => {
    const shares: number[] = [];
    const plane = untilTestEnds(await umapLayout().open(landmarks, { progress: (share) => shares.push(share) }));
    const near = distance(plane.positions, 0, 1);
    expect(near).toBeLessThan(distance(plane.positions, 0, 31));
    expect(near).toBeLessThan(distance(plane.positions, 0, 61));
    expect(plane.positions.every((value) => value >= -1 && value <= 1)).toBe(true);
    expect(shares.length).toBeGreaterThan(1);
    const again = untilTestEnds(await umapLayout().open(landmarks));
    expect(again.positions).toEqual(plane.positions);
  });

  it('places others beside what they are like, and leaves landmarks where they were', async () => {
    const first = untilTestEnds(await umapLayout().open(landmarks));
    const positions = new Float32Array(first.positions);
    const plane = untilTestEnds(await umapLayout().open(landmarks, { positions }));
    expect(plane.positions).toEqual(positions);
    const others = landmarks.values.slice(0, DIMENSIONS);
    const place = await plane.place({ values: others, dimensions: DIMENSIONS });
    const both = new Float32Array([...place, ...positions]);
    expect(distance(both, 0, 1)).toBeLessThan(distance(both, 0, 1 + 61));
  });

  it('has a place for few and for one', async () => {
    for (const count of [1, 5, 6]) {
      const values = landmarks.values.slice(0, count * DIMENSIONS);
      const plane = untilTestEnds(await umapLayout().open({ values, dimensions: DIMENSIONS }));
      expect(plane.positions).toHaveLength(2 * count);
      expect(plane.positions.every(Number.isFinite)).toBe(true);
    }
  });
});
