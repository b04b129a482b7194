/** Counts and times, on whichever meter, what it is told of. */

import type { Telemetry } from '../ports/telemetry.ts';
import type { Instruments } from './instruments.ts';

export interface RequestRecord {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

export type MeterTelemetry = Required<Omit<Telemetry, 'vitals'>> & {
  /** Called once per request over HTTP. */
  requestEnded(record: RequestRecord): void;
};

/** Whatever else a client makes up as a method is one of the others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function meterTelemetry(instruments: Instruments): MeterTelemetry {
  return {
    ...operationTelemetry(instruments),
    ...modelTelemetry(instruments),
    ...backgroundTelemetry(instruments),
    requestEnded: requestTelemetry(instruments),
  };
}

function operationTelemetry(
  instruments: Instruments,
): Pick<MeterTelemetry, 'operationEnded' | 'streamOpened' | 'streamClosed'> {
  const total = instruments.counter('memory.operations.total');
  const errors = instruments.counter('memory.operations.errors');
  const latency = instruments.histogram('memory.operations.latency');
  const results = instruments.histogram('memory.search.results');
  const streams = instruments.level('lamina.streams.open');
  return {
    operationEnded: (record) => {
      const labels = { operation: record.operation };
      total.add(1, labels);
      latency.record(record.durationMs, labels);
      if (record.error) errors.add(1, { ...labels, code: record.error });
      if (record.results !== undefined) results.record(record.results);
    },
    streamOpened: (operation) => streams.add(1, { operation }),
    streamClosed: (operation) => streams.add(-1, { operation }),
  };
}

function modelTelemetry(
  instruments: Instruments,
): Pick<MeterTelemetry, 'embeddingEnded' | 'embeddingsCached' | 'rerankEnded'> {
  const texts = instruments.counter('lamina.embedding.texts');
  const duration = instruments.histogram('lamina.embedding.duration');
  const failures = instruments.counter('lamina.embedding.failures');
  const reranked = instruments.counter('lamina.rerank.texts');
  const rerankDuration = instruments.histogram('lamina.rerank.duration');
  return {
    embeddingEnded: (record) => {
      texts.add(record.texts, { source: 'model' });
      duration.record(record.durationMs / 1000);
      if (record.isFailed) failures.add(1);
    },
    embeddingsCached: (count) => texts.add(count, { source: 'cache' }),
    rerankEnded: ({ texts: count, durationMs, outcome }) => {
      reranked.add(count, { outcome });
      rerankDuration.record(durationMs / 1000, { outcome });
    },
  };
}

function backgroundTelemetry(
  instruments: Instruments,
): Pick<
  MeterTelemetry,
  'commitEnded' | 'maintenanceEnded' | 'upkeepFailed' | 'promotionsBlocked' | 'turnBuilt' | 'hotStoreReplaced'
> {
  const commitDuration = instruments.histogram('lamina.commit.duration');
  const commitWrites = instruments.histogram('lamina.commit.writes');
  const runs = instruments.counter('lamina.maintenance.runs');
  const runDuration = instruments.histogram('lamina.maintenance.duration');
  const failures = instruments.counter('lamina.upkeep.failures');
  const blocked = instruments.counter('lamina.promotions.blocked');
  const degraded = instruments.counter('lamina.turns.degraded');
  const withheld = instruments.counter('lamina.turns.withheld');
  const fallbacks = instruments.counter('lamina.hot_store.fallbacks');
  return {
    commitEnded: ({ writes, durationMs }) => {
      commitDuration.record(durationMs / 1000);
      commitWrites.record(writes);
    },
    maintenanceEnded: ({ job, status, durationMs }) => {
      runs.add(1, { job, status });
      runDuration.record(durationMs / 1000, { job });
    },
    upkeepFailed: ({ step, code, count }) => failures.add(count, { step, code }),
    promotionsBlocked: (count) => blocked.add(count),
    turnBuilt: (record) => {
      if (record.isDegraded) degraded.add(1);
      if (record.withheld > 0) withheld.add(record.withheld);
    },
    hotStoreReplaced: () => fallbacks.add(1),
  };
}

function requestTelemetry(instruments: Instruments): MeterTelemetry['requestEnded'] {
  const duration = instruments.histogram('http.server.request.duration');
  return ({ method, route, status, durationMs }) =>
    duration.record(durationMs / 1000, {
      'http.request.method': METHODS.has(method) ? method : '_OTHER',
      'http.route': route,
      'http.response.status_code': status,
    });
}
