/** Inspecting memory: counts, neighbours, lineage, decay, and a map. */

import {
  decayInputSchema,
  decayOutputSchema,
  lineageInputSchema,
  lineageOutputSchema,
  mapInputSchema,
  mapOutputSchema,
  neighboursInputSchema,
  neighboursOutputSchema,
  statsInputSchema,
  statsOutputSchema,
} from '../domain/inspection.ts';
import { vitalsInputSchema, vitalsOutputSchema } from '../domain/vitals.ts';
import { EXAMPLE_ENTRY } from './entry-operations.ts';
import { operation } from './operation.ts';

const GROUP = 'Inspection';
const ID = EXAMPLE_ENTRY.id;
const SOURCE_ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e11';
const TIME = '2026-11-15T09:30:00.000Z';

export const inspectionOperations = {
  stats: operation({
    group: GROUP,
    summary: 'Count memories by layer, kind and status, with their growth.',
    description:
      'Counts what you may see, or, for an administrator, the whole tenant. Counting a large tenant takes a while and ' +
      'blocks nothing else.',
    input: statsInputSchema,
    output: statsOutputSchema,
    http: { method: 'GET', path: '/v1/memory/stats', status: 200 },
    errors: ['FORBIDDEN'],
    example: {
      input: { of: 'mine', days: 2 },
      output: {
        of: 'mine',
        countedAt: TIME,
        total: 3,
        groups: [
          { layer: 'user', kind: 'semantic', status: 'active', isInContext: false, count: 2, created: 2 },
          { layer: 'company', kind: 'semantic', status: 'active', isInContext: false, count: 1, created: 1 },
        ],
        growth: [
          { day: '2026-11-14', created: 1, deleted: 0 },
          { day: '2026-11-15', created: 3, deleted: 1 },
        ],
        sizes: {
          entries: 2,
          versions: 1,
          embeddings: 2,
          state: 0,
          plans: 0,
          planContexts: 0,
          taskContexts: 0,
          sessions: 1,
          apiKeys: 0,
          pools: 0,
          contexts: 0,
          contextSnapshots: 0,
          contextAccesses: 0,
          facts: 4,
          users: 1,
        },
      },
    },
  }),
  neighbours: operation({
    group: GROUP,
    summary: 'Find the memories nearest in meaning to a given one.',
    description:
      'In the layers that the identifiers open, and in the scope of the memory itself. Does not count as an access.',
    input: neighboursInputSchema,
    output: neighboursOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries/{id}/similar', status: 200 },
    errors: ['MEMORY_NOT_FOUND', 'MISSING_IDENTIFIER'],
    example: {
      input: { id: SOURCE_ID, limit: 1 },
      output: { neighbours: [{ memory: EXAMPLE_ENTRY, similarity: 0.83, isNearDuplicate: false }], hasEmbedding: true },
    },
  }),
  lineage: operation({
    group: GROUP,
    summary: 'Show what a memory was made from, and what was made from it.',
    description:
      'Merging, extraction, distillation and promotion, step by step in both directions, as far as you may see it.',
    input: lineageInputSchema,
    output: lineageOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries/{id}/lineage', status: 200 },
    errors: ['MEMORY_NOT_FOUND'],
    example: {
      input: { id: ID, depth: 1 },
      output: {
        nodes: [
          {
            id: ID,
            type: 'memory',
            depth: 0,
            label: 'Ada prefers tea to coffee.',
            layer: 'user',
            kind: 'semantic',
            status: 'active',
            createdAt: TIME,
          },
          {
            id: SOURCE_ID,
            type: 'memory',
            depth: -1,
            label: 'I would rather have tea, please.',
            layer: 'user',
            kind: 'episodic',
            status: 'active',
            createdAt: TIME,
          },
        ],
        edges: [{ from: SOURCE_ID, to: ID, relation: 'extracted' }],
        hiddenCount: 0,
        isTruncated: false,
      },
    },
  }),
  decay: operation({
    group: GROUP,
    summary: 'Show how the relevance of a memory decays, since its last use and in the future.',
    description:
      'Includes how often and when it was last read; who read it is not recorded. Its versions say when it was written. ' +
      'Does not count as an access.',
    input: decayInputSchema,
    output: decayOutputSchema,
    http: { method: 'GET', path: '/v1/memory/entries/{id}/decay', status: 200 },
    errors: ['MEMORY_NOT_FOUND'],
    example: {
      input: { id: ID, days: 30 },
      output: {
        isOn: false,
        reason: 'off',
        accessCount: 1,
        lastAccessedAt: TIME,
        accesses: [TIME],
        lastUsedAt: TIME,
        relevance: 1,
        currentRelevance: 1,
        archiveThreshold: 0.1,
        now: TIME,
        points: [
          { at: TIME, relevance: 1 },
          { at: '2026-12-15T09:30:00.000Z', relevance: 1 },
        ],
      },
    },
  }),
  map: operation({
    group: GROUP,
    summary: 'Map memories onto a plane, so that similar ones are close together.',
    description:
      'Computed in the background, which takes seconds, and cached: ask again while `status` is `computing`. Points are returned ' +
      'when it is ready; pass `since` to get them only if they are newer.',
    input: mapInputSchema,
    output: mapOutputSchema,
    http: { method: 'GET', path: '/v1/memory/map', status: 200 },
    errors: ['MISSING_IDENTIFIER'],
    example: {
      input: { layers: ['user'] },
      output: {
        status: 'ready',
        progress: 1,
        isStale: false,
        computedAt: TIME,
        model: 'all-MiniLM-L6-v2',
        total: 1,
        points: {
          ids: [ID],
          x: [0.25],
          y: [-0.5],
          layers: ['user'],
          kinds: ['semantic'],
          createdAt: [TIME],
          labels: ['Ada prefers tea to coffee.'],
        },
      },
    },
  }),
  'admin.metrics': operation({
    group: 'Administration',
    summary: 'Show how the service is doing: rates, latencies, errors, process and health.',
    description: 'Of the process that answers, since it started. Programs should read `/metrics`.',
    input: vitalsInputSchema,
    output: vitalsOutputSchema,
    http: { method: 'GET', path: '/v1/memory/admin/metrics', status: 200 },
    errors: ['FORBIDDEN'],
    example: {
      input: {},
      output: {
        startedAt: TIME,
        uptimeSeconds: 3600,
        isMeasured: true,
        windowSeconds: 300,
        operations: [
          {
            operation: 'search',
            total: { count: 7200, errors: 2, perSecond: 2, p50Ms: 3.1, p95Ms: 8.4, p99Ms: 22 },
            recent: { count: 600, errors: 0, perSecond: 2, p50Ms: 3, p95Ms: 8.1, p99Ms: 19 },
          },
        ],
        errors: [{ operation: 'search', code: 'QUERY_TOO_LONG', count: 2 }],
        process: {
          rssBytes: 210_000_000,
          heapBytes: 80_000_000,
          externalBytes: 9_000_000,
          cpuSeconds: 41.5,
          eventLoopDelayMs: { mean: 0.4, p99: 3.2, max: 18 },
        },
        health: { status: 'healthy', latencyMs: 0.6, components: { store: { status: 'healthy' } } },
      },
    },
  }),
} as const;
