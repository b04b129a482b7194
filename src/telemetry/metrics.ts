/** The one table of metrics: what is registered, documented in `docs/observability.md` and shown in the dashboard. */

/** Few, because there are many routes: how long operations take is told in more detail. */
const REQUEST_SECONDS = [0.0025, 0.01, 0.05, 0.25, 1, 5];
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const MILLISECONDS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];
const COUNTS = [0, 1, 2, 5, 10, 20, 50, 100];
const MAINTENANCE_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];

export interface Metric {
  readonly type: 'counter' | 'histogram' | 'gauge';
  readonly unit?: string;
  readonly description: string;
  /** Names whose values are few and known beforehand: never a tenant, a user, a key or an id. */
  readonly labels?: readonly string[];
  readonly buckets?: readonly number[];
}

export const METRICS = {
  'memory.operations.total': {
    type: 'counter',
    description: 'Operations, by operation.',
    labels: ['operation'],
  },
  'memory.operations.errors': {
    type: 'counter',
    description: 'Failed operations, by operation and error code.',
    labels: ['operation', 'code'],
  },
  'memory.operations.latency': {
    type: 'histogram',
    unit: 'ms',
    description: 'How long operations took, in milliseconds.',
    labels: ['operation'],
    buckets: MILLISECONDS,
  },
  'memory.search.results': {
    type: 'histogram',
    description: 'How many results a search gave.',
    buckets: COUNTS,
  },
  'memory.storage.size': {
    type: 'gauge',
    description: 'How many memories there are, by layer; counted every half minute at most.',
    labels: ['layer'],
  },
  'http.server.request.duration': {
    type: 'histogram',
    unit: 's',
    description: 'Requests by method, route and status, and how long they took; of a stream, until it was opened.',
    labels: ['http.request.method', 'http.route', 'http.response.status_code'],
    buckets: REQUEST_SECONDS,
  },
  'lamina.streams.open': {
    type: 'gauge',
    description: 'Streams of events that are followed at the moment.',
    labels: ['operation'],
  },
  'lamina.embedding.texts': {
    type: 'counter',
    description: 'Texts that were to be embedded: by the model, or known already (cache).',
    labels: ['source'],
  },
  'lamina.embedding.duration': {
    type: 'histogram',
    unit: 's',
    description: 'How long calls to the embedding model took.',
    buckets: SECONDS,
  },
  'lamina.embedding.failures': {
    type: 'counter',
    description: 'Calls to the embedding model that failed.',
  },
  'lamina.commit.duration': {
    type: 'histogram',
    unit: 's',
    description: 'How long the commits of groups of writes took (SQLite).',
    buckets: SECONDS,
  },
  'lamina.commit.writes': {
    type: 'histogram',
    description: 'How many writes shared a commit (SQLite).',
    buckets: COUNTS,
  },
  'lamina.commit.pending': {
    type: 'gauge',
    description: 'Writes that wait for their commit (SQLite).',
  },
  'lamina.touches.pending': {
    type: 'gauge',
    description: 'Entries and values whose accesses are counted but not written down yet.',
  },
  'lamina.database.connections': {
    type: 'gauge',
    description: 'Connections to PostgreSQL, used and idle.',
    labels: ['state'],
  },
  'lamina.database.waiting': {
    type: 'gauge',
    description: 'Calls that wait for a connection to PostgreSQL.',
  },
  'lamina.hot_store.up': {
    type: 'gauge',
    description: '1 where Redis can be reached, else 0; only where it is configured.',
  },
  'lamina.hot_store.fallbacks': {
    type: 'counter',
    description: 'Calls that the database answered because Redis could not be reached.',
  },
  'lamina.promotions.blocked': {
    type: 'counter',
    description: 'Memories that were not promoted to another layer because they are confidential or restricted.',
  },
  'lamina.rerank.duration': {
    type: 'histogram',
    unit: 's',
    description: 'Searches for which there was a reranker, how that went, and how long it took.',
    labels: ['outcome'],
    buckets: SECONDS,
  },
  'lamina.rerank.texts': {
    type: 'counter',
    description: 'Texts that the reranker was to read, by how that went.',
    labels: ['outcome'],
  },
  'lamina.turns.degraded': {
    type: 'counter',
    description: 'Turns for which some of memory could not be asked.',
  },
  'lamina.turns.withheld': {
    type: 'counter',
    description: 'Memories that did not go into the prompt of a turn because they are too sensitive.',
  },
  'lamina.maintenance.runs': {
    type: 'counter',
    description: 'Runs of maintenance jobs that this process ended, by job and status.',
    labels: ['job', 'status'],
  },
  'lamina.maintenance.duration': {
    type: 'histogram',
    unit: 's',
    description: 'How long runs of maintenance jobs took.',
    labels: ['job'],
    buckets: MAINTENANCE_SECONDS,
  },
  'lamina.upkeep.failures': {
    type: 'counter',
    description: 'What upkeep could not do in the background, by step and error code.',
    labels: ['step', 'code'],
  },
  'lamina.leader': {
    type: 'gauge',
    description: '1 where this process does the work that only one should do, else 0.',
  },
  'nodejs.eventloop.delay.mean': {
    type: 'gauge',
    unit: 's',
    description: 'How late the event loop was, on average since it was last asked.',
  },
  'nodejs.eventloop.delay.p99': {
    type: 'gauge',
    unit: 's',
    description: 'How late the event loop was at most, but for one time in a hundred.',
  },
  'nodejs.eventloop.delay.max': {
    type: 'gauge',
    unit: 's',
    description: 'How late the event loop was at most.',
  },
  'process.cpu.time': {
    type: 'counter',
    unit: 's',
    description: 'CPU time of this process.',
    labels: ['cpu.mode'],
  },
  'process.memory.usage': {
    type: 'gauge',
    unit: 'By',
    description: 'Memory of this process: all of it (rss), of JavaScript (heap), and outside of it (external).',
    labels: ['kind'],
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;

/** As Prometheus spells it: without dots, and counters end in `_total`. */
export function prometheusName(name: MetricName): string {
  const spelt = name.replaceAll('.', '_');
  return METRICS[name].type === 'counter' && !spelt.endsWith('_total') ? `${spelt}_total` : spelt;
}
