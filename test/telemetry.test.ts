/** Metrics: what is registered is what the table, the documentation and the dashboard say; the specification's five exactly. */

import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remembered } from '../src/telemetry/gauges.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { METRICS, prometheusName, type Metric, type MetricName } from '../src/telemetry/metrics.ts';
import { createOpenTelemetry, type OpenTelemetry } from '../src/telemetry/open-telemetry.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';

const NAMES = Object.keys(METRICS) as MetricName[];

/** With everything that can be asked, and told of everything that can happen. */
function busyTelemetry(): OpenTelemetry {
  const telemetry = createOpenTelemetry({
    storageSize: async () => ({ user: 3 }),
    isLeader: () => true,
    isHotStoreUp: () => false,
    load: () => ({ pendingWrites: 1, pendingTouches: 2, connections: { used: 3, idle: 4, waiting: 5 } }),
  });
  onTestFinished(() => telemetry.shutdown());
  telemetry.operationEnded({ operation: 'search', durationMs: 1, results: 2 });
  telemetry.operationEnded({ operation: 'get', durationMs: 1, error: 'MEMORY_NOT_FOUND' });
  telemetry.streamOpened('events.follow');
  telemetry.embeddingEnded({ texts: 2, durationMs: 3, isFailed: true });
  telemetry.embeddingsCached(1);
  telemetry.rerankEnded({ texts: 30, durationMs: 120, outcome: 'done' });
  telemetry.commitEnded({ writes: 2, durationMs: 1 });
  telemetry.maintenanceEnded({ job: 'expiry', status: 'failed', durationMs: 10 });
  telemetry.upkeepFailed({ step: 'events', code: 'UNAVAILABLE', count: 2 });
  telemetry.promotionsBlocked(1);
  telemetry.turnBuilt({ isDegraded: true, withheld: 1 });
  telemetry.hotStoreReplaced();
  telemetry.requestEnded({ method: 'BREW', route: '/pots/:id', status: 418, durationMs: 1500 });
  return telemetry;
}

/** Name, type and unit of each family, and the labels that occur. */
function familiesIn(text: string): Map<string, { type: string; unit: string | undefined; labels: Set<string> }> {
  const families = new Map<string, { type: string; unit: string | undefined; labels: Set<string> }>();
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const unit = new RegExp(`^# UNIT ${name} (\\S+)$`, 'm').exec(text)?.[1];
    const samples = [...text.matchAll(new RegExp(`^${name}(?:_sum|_count)?\\{(.*)\\} `, 'gm'))];
    const labels = samples.flatMap(([, all = '']) => [...all.matchAll(/(\w+)="/g)].map(([, label = '']) => label));
    families.set(name, { type, unit, labels: new Set(labels) });
  }
  return families;
}

describe('/metrics', () => {
  it('has exactly the metrics of the table, with their types, units and labels', async () => {
    const families = familiesIn(await busyTelemetry().metrics());
    expect([...families.keys()].toSorted()).toEqual(NAMES.map(prometheusName).toSorted());
    for (const name of NAMES) {
      const { type, unit, labels = [] }: Metric = METRICS[name];
      const family = families.get(prometheusName(name));
      expect([family?.type, family?.unit], name).toEqual([type, unit]);
      expect([...(family?.labels ?? [])].toSorted(), name).toEqual(
        labels.map((label) => label.replaceAll('.', '_')).toSorted(),
      );
    }
  });

  it('shows what it was told', async () => {
    const text = await busyTelemetry().metrics();
    for (const line of [
      'memory_operations_total{operation="search"} 1',
      'memory_operations_errors_total{operation="get",code="MEMORY_NOT_FOUND"} 1',
      'memory_search_results_sum 2',
      'memory_storage_size{layer="user"} 3',
      'lamina_streams_open{operation="events.follow"} 1',
      'lamina_embedding_texts_total{source="model"} 2',
      'lamina_embedding_texts_total{source="cache"} 1',
      'lamina_embedding_failures_total 1',
      'lamina_commit_writes_sum 2',
      'lamina_commit_pending 1',
      'lamina_touches_pending 2',
      'lamina_database_connections{state="used"} 3',
      'lamina_database_connections{state="idle"} 4',
      'lamina_database_waiting 5',
      'lamina_hot_store_up 0',
      'lamina_hot_store_fallbacks_total 1',
      'lamina_maintenance_runs_total{job="expiry",status="failed"} 1',
      'lamina_leader 1',
      'http_server_request_duration_sum{http_request_method="_OTHER",http_route="/pots/:id",http_response_status_code="418"} 1.5',
    ]) {
      expect(text).toContain(`\n${line}\n`);
    }
  });

  it('does not count all memories anew for each who reads it', async () => {
    let counted = 0;
    const telemetry = createOpenTelemetry({ storageSize: async () => ({ user: (counted += 1) }) });
    onTestFinished(() => telemetry.shutdown());
    for (let scrape = 0; scrape < 3; scrape += 1) {
      expect(await telemetry.metrics()).toContain('memory_storage_size{layer="user"} 1');
    }
    expect(counted).toBe(1);
  });

  it('leaves out what cannot be counted, and asks again the next time', async () => {
    let asked = 0;
    const telemetry = createOpenTelemetry({
      storageSize: async () => {
        asked += 1;
        if (asked === 1) throw new Error('away');
        return { user: 7 };
      },
    });
    onTestFinished(() => telemetry.shutdown());
    const first = await telemetry.metrics();
    expect(first).not.toContain('memory_storage_size{');
    expect(first).toContain('process_memory_usage');
    expect(await telemetry.metrics()).toContain('memory_storage_size{layer="user"} 7');
  });

  it('asks once when many ask at the same moment, and again when the answer is old', async () => {
    let asked = 0;
    const ask = remembered(async () => (asked += 1), 0);
    const once = remembered(ask, 60_000);
    expect(await Promise.all([once(), once(), once()])).toEqual([1, 1, 1]);
    expect([await ask(), await ask()]).toEqual([2, 3]);
  });
});

/** What a program reads that has an OpenTelemetry of its own. */
function hostMeters(): { read(): Promise<Map<string, MetricData>> } {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  onTestFinished(async () => {
    metrics.disable();
    await provider.shutdown();
  });
  return {
    read: async () => {
      exporter.reset();
      await provider.forceFlush();
      const found = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      return new Map(found.map((data) => [data.descriptor.name, data]));
    },
  };
}

describe('a program with a meter provider of its own', () => {
  it("gets the specification's five metrics, with their names, types and units", async () => {
    const host = hostMeters();
    const { lamina, root } = untilTestEnds(await openLamina());
    await root.add({ content: 'tea', layer: 'user' });
    await root.search({ query: 'tea' });
    await root.semantic.search({ query: 'tea' });
    await expect(lamina.as({ userId: 'u' }).admin.audit({})).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const found = await host.read();
    const shape = (name: string): unknown[] => {
      const data = found.get(name);
      return [data?.dataPointType, data?.descriptor.unit, data?.dataPoints.map(({ attributes }) => attributes)];
    };
    const operations = ['add', 'search', 'semantic.search', 'admin.audit'].map((operation) => ({ operation }));
    expect(shape('memory.operations.total')).toEqual([DataPointType.SUM, '', operations]);
    expect(shape('memory.operations.latency')).toEqual([DataPointType.HISTOGRAM, 'ms', operations]);
    expect(shape('memory.operations.errors')).toEqual([
      DataPointType.SUM,
      '',
      [{ operation: 'admin.audit', code: 'FORBIDDEN' }],
    ]);
    expect(shape('memory.search.results')).toEqual([DataPointType.HISTOGRAM, '', [{}]]);
    expect(found.get('memory.search.results')?.dataPoints[0]?.value).toMatchObject({ count: 2 });
    expect(shape('memory.storage.size')).toEqual([DataPointType.GAUGE, '', [{ layer: 'user' }]]);
    expect(found.get('lamina.commit.writes')?.dataPoints.length).toBe(1);
  });

  it('is not asked to wait for a memory that was closed', async () => {
    const host = hostMeters();
    const { root, close } = await openLamina();
    await root.add({ content: 'tea', layer: 'user' });
    await close();
    const found = await host.read();
    expect(found.get('memory.storage.size')?.dataPoints ?? []).toEqual([]);
  });
});

describe('maintenance', () => {
  it('is told of, also where it only removes what has expired', async () => {
    const host = hostMeters();
    const clock = new ManualClock();
    const { lamina, root } = untilTestEnds(await openLamina({ clock }));
    const expiresAt = new Date(clock.now() + 1000).toISOString();
    await root.add({ content: 'tea', layer: 'user', expiresAt });
    clock.advance(2000);
    const stop = new AbortController();
    const kept = lamina.keepUp({ roundMs: 1000 }, stop.signal);
    while ((await root.maintenance.runs({ job: 'expiry' })).count === 0) await nextTurn();
    stop.abort();
    await kept;
    await root.maintenance.run({ job: 'integrity' });
    const points = (await host.read()).get('lamina.maintenance.runs')?.dataPoints ?? [];
    expect(points.map(({ attributes, value }) => [attributes, value])).toEqual([
      [{ job: 'expiry', status: 'completed' }, 1],
      [{ job: 'integrity', status: 'completed' }, 1],
    ]);
  });
});

describe('Redis out of reach', () => {
  it('is told: whether it is up, and how often the database stood in', async () => {
    const host = hostMeters();
    const { root } = untilTestEnds(await openLamina({ redis: 'redis://127.0.0.1:1', redisFallback: 'database' }));
    await root.working.set({ planId: 'p', key: 'k', value: 1 });
    await root.working.get({ planId: 'p', key: 'k' });
    const found = await host.read();
    expect(found.get('lamina.hot_store.up')?.dataPoints[0]?.value).toBe(0);
    expect(found.get('lamina.hot_store.fallbacks')?.dataPoints[0]?.value).toBe(2);
  });
});

describe('docs/observability.md', () => {
  it('lists exactly the metrics that there are, as they are', () => {
    const page = readFileSync('docs/observability.md', 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z][\w.]+\.[\w.]+)` +\|(.*)\|$/gm)];
    expect(rows.map(([, name]) => name)).toEqual(NAMES);
    for (const [index, [, , rest = '']] of rows.entries()) {
      const name = NAMES[index] as MetricName;
      const { type, unit = '', labels = [], description }: Metric = METRICS[name];
      const cells = rest.split('|').map((cell) => cell.trim());
      expect(cells, name).toEqual([
        `\`${prometheusName(name)}\``,
        type,
        unit,
        labels.map((label) => `\`${label}\``).join(', '),
        description,
      ]);
    }
  });
});

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
}

describe('docs/grafana-dashboard.json', () => {
  const dashboard = JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8')) as {
    readonly title: string;
    readonly uid: string;
    readonly schemaVersion: number;
    readonly panels: readonly Panel[];
  };
  const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const samples = new Map(
    NAMES.flatMap((name): [string, MetricName][] => {
      const spelt = prometheusName(name);
      const parts = METRICS[name].type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      return parts.map((part) => [spelt + part, name]);
    }),
  );

  it('asks only for metrics and labels that exist, and for all of the metrics', () => {
    const asked = new Set<MetricName>();
    for (const expr of expressions) {
      const names = [...expr.matchAll(/\b([a-z]\w*_\w+)(?=[{[ )]|$)/g)].map(([, name = '']) => name);
      const known = names.filter((name) => samples.has(name));
      expect(known.length, expr).toBeGreaterThan(0);
      for (const name of known) asked.add(samples.get(name) as MetricName);
      const labels = known.flatMap((name) => [...((METRICS[samples.get(name) as MetricName] as Metric).labels ?? [])]);
      const allowed = [...labels.map((label) => label.replaceAll('.', '_')), 'le', 'instance', 'job'];
      const functions = ['histogram_quantile'];
      expect(
        names.filter((name) => !samples.has(name) && !allowed.includes(name) && !functions.includes(name)),
      ).toEqual([]);
    }
    expect(NAMES.filter((name) => !asked.has(name))).toEqual([]);
  });

  it('is a dashboard: panels with places of their own', () => {
    expect(dashboard).toMatchObject({ title: 'Lamina', uid: 'lamina', schemaVersion: expect.any(Number) as number });
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    expect(panels.every(({ targets }) => targets !== undefined && targets.length > 0)).toBe(true);
  });
});

it('can be an object of a class, whose methods know it', async () => {
  class Counted {
    commits = 0;
    operationEnded(): void {}
    commitEnded(): void {
      this.commits += 1;
    }
  }
  const telemetry = new Counted();
  const { root } = untilTestEnds(await openLamina({ telemetry }));
  await root.add({ content: 'tea', layer: 'company' });
  expect(telemetry.commits).toBeGreaterThan(0);
});
