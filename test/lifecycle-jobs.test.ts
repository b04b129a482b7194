/** The jobs of the lifecycle on SQLite: summaries by a language model, runs that are cut short, nights and sweeps. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaced } from '../src/compose/replay.ts';
import type { Core } from '../src/core/core.ts';
import { createCore } from '../src/core/create-core.ts';
import type { Dependencies } from '../src/core/dependencies.ts';
import { clustersOf } from '../src/core/maintenance/clusters.ts';
import { runJob } from '../src/core/maintenance/run-job.ts';
import { SILENCE_MS } from '../src/core/maintenance/run-record.ts';
import { cronSchedule } from '../src/core/maintenance/schedule.ts';
import { upkeepRound } from '../src/core/upkeep/round.ts';
import type { Entry } from '../src/domain/entry.ts';
import { LaminaError } from '../src/domain/error.ts';
import { lifecyclePolicy, type LifecycleOptions } from '../src/domain/lifecycle-policy.ts';
import type { MaintenanceJob, MaintenanceRunRecord } from '../src/domain/maintenance.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { OpenAiLanguageModel } from '../src/language/openai-language-model.ts';
import { EXAMPLE_ENTRY } from '../src/operations/entry-operations.ts';
import { createOpenTelemetry } from '../src/telemetry/open-telemetry.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { startChatServer, type ChatAnswer, type ChatServer } from './chat-server.ts';
import { dependenciesOn, dyingAfter } from './maintenance-dependencies.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const ALICE: Principal = { tenantId: NIL_TENANT, userId: 'alice' };
const ROOT: Principal = { tenantId: NIL_TENANT, userId: 'root', roles: ['admin'] };
const DAY_MS = 86_400_000;
const SUMMARY = 'Herons fly south for the winter.';

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });
const heron = (name: string): string => `the heron flew south for the winter again, ${name}`;

let folder: string;
let engine: SqliteEngine;
let clock: ManualClock;
let dependencies: Dependencies;
let core: Core;
let chat: ChatServer | undefined;

beforeEach(async () => {
  folder = await makeFolder();
  clock = new ManualClock();
  engine = new SqliteEngine({ folder, clock });
});

afterEach(async () => {
  await dependencies.languageModel?.close();
  await chat?.close();
  chat = undefined;
  await engine.close();
  await removeFolder(folder);
});

function configure(lifecycle: LifecycleOptions, more: Partial<Dependencies> = {}): void {
  dependencies = { ...dependenciesOn(engine, clock), lifecycle: lifecyclePolicy(lifecycle), ...more };
  core = createCore(dependencies);
}

const CONSOLIDATION = { enabled: true, maxMemoriesBeforeTrigger: 2, similarityThreshold: 0.75 } as const;

/** One text stands for others that say nearly the same. */
const BY_MEANING = { consolidation: CONSOLIDATION, deduplication: { by: 'meaning' } } as const;

/** With a language model that answers so. */
async function configureModel(answer: () => ChatAnswer): Promise<void> {
  chat = await startChatServer(answer);
  const prices = { input: 1, output: 10 };
  const languageModel = new OpenAiLanguageModel({ clock, baseUrl: chat.url, model: 'tiny', prices });
  configure(BY_MEANING, { languageModel });
}

const run = (job: MaintenanceJob): ReturnType<Core['maintenance']['run']> => core.maintenance.run(ROOT, { job });

async function entriesOf(): Promise<Entry[]> {
  const { items } = await engine.archive.read(NIL_TENANT, 'entries', 10_000);
  return items.map(({ entry }) => entry);
}

async function inUse(): Promise<string[]> {
  return (await entriesOf())
    .filter(({ status }) => status === 'active')
    .map(({ content }) => content)
    .toSorted();
}

async function addHerons(count: number): Promise<string[]> {
  const contents = Array.from({ length: count }, (_, at) =>
    heron(`number ${'abcdefghijklmnopqrstuvwxyzäöüß'.charAt(at)}`),
  );
  const outputs = await core.addMany(ALICE, contents.map(user));
  return outputs.map(({ memory }) => memory.id);
}

describe('merging with a language model', () => {
  it('writes a summary that tells its sources, its model and its cost; undone, all is as before', async () => {
    await configureModel(() => ({ text: SUMMARY }));
    const ids = await addHerons(3);
    const done = await run('merging');
    expect(done.counts).toEqual({ places: 1, merged: 3, kept: 0, summarised: 1, fallbacks: 0 });
    expect(chat?.asked[0]?.text.split('\n')).toHaveLength(3);
    const summary = (await entriesOf()).find(({ content }) => content === SUMMARY);
    expect(summary?.provenance).toEqual({
      derivedFrom: expect.arrayContaining(ids),
      model: 'tiny-2026',
      cost: { inputTokens: 100, outputTokens: 20, price: 0.0003 },
      runId: done.runId,
    });
    expect(await inUse()).toEqual([SUMMARY]);
    for (const id of ids) expect((await core.get(ALICE, { id }))?.provenance?.mergedInto).toBe(summary?.id);
    expect((await run('merging')).counts['places']).toBe(0);
    expect((await core.maintenance.undo(ROOT, done.runId)).undoneCount).toBe(4);
    expect(await inUse()).toHaveLength(3);
    expect((await run('merging')).counts['merged']).toBe(0);
    await core.delete(ALICE, { id: ids[0] ?? '' });
    expect(await entriesOf()).toHaveLength(2);
  });

  it('takes a summary along when a source is deleted for good, and gives the other sources back', async () => {
    await configureModel(() => ({ text: SUMMARY }));
    const [first = '', second = '', third = ''] = await addHerons(3);
    await run('merging');
    expect(await core.delete(ALICE, { id: first })).toBe(true);
    const left = await entriesOf();
    expect(left.map(({ id, status }) => [id, status])).toEqual([
      [second, 'active'],
      [third, 'active'],
    ]);
    expect(left.every(({ provenance }) => provenance === undefined)).toBe(true);
    const { results } = await core.search(ALICE, { query: SUMMARY, threshold: 0, includeArchived: true });
    expect(results.map(({ memory }) => memory.content)).not.toContain(SUMMARY);
  });

  it('deletes the sources with the summary: they say what is to be forgotten', async () => {
    await configureModel(() => ({ text: SUMMARY }));
    await addHerons(3);
    await run('merging');
    const [summary] = await core.list(ALICE, { layer: 'user' }).then(({ memories }) => memories);
    await core.forget(ALICE, { ids: [summary?.id ?? ''] });
    expect(await entriesOf()).toEqual([]);
  });

  it('keeps the most central text when the model fails, and says so', async () => {
    await configureModel(() => ({ status: 500 }));
    await addHerons(3);
    const done = await run('merging');
    expect(done).toMatchObject({ status: 'completed', counts: { merged: 2, kept: 1, summarised: 0, fallbacks: 1 } });
    expect(done.changes.find(({ action }) => action === 'kept')?.detail).toMatch(/language model answered 500/);
  });

  it('is not told what is confidential, nor asked in a dry run', async () => {
    await configureModel(() => ({ text: SUMMARY }));
    await core.addMany(
      ALICE,
      ['a', 'b', 'c'].map((name) => ({ ...user(heron(name)), sensitivity: 'confidential' as const })),
    );
    await core.maintenance.run(ROOT, { job: 'merging', dryRun: true });
    expect((await run('merging')).counts).toMatchObject({ merged: 2, kept: 1, summarised: 0, fallbacks: 0 });
    expect(chat?.asked).toEqual([]);
  });

  it('distils episodes into a sentence that goes with its episode', async () => {
    await configureModel(() => ({ text: 'Ada lives in Lisbon.' }));
    const episode = {
      content: 'so I moved to Lisbon, you know',
      layer: 'user',
      kind: 'episodic',
      importance: 0.9,
    } as const;
    const { memory } = await core.add(ALICE, episode);
    const done = await run('distillation');
    expect(done.counts).toEqual({ examined: 1, distilled: 1, blocked: 0, fallbacks: 0 });
    const known = (await entriesOf()).find(({ kind }) => kind === 'semantic');
    expect(known).toMatchObject({
      content: 'Ada lives in Lisbon.',
      provenance: { derivedFrom: [memory.id], model: 'tiny-2026' },
    });
    expect((await core.maintenance.undo(ROOT, done.runId)).undoneCount).toBe(2);
    expect((await run('distillation')).counts['distilled']).toBe(0);
    await core.delete(ALICE, { id: memory.id });
    expect(await entriesOf()).toEqual([]);
  });
});

describe('merging', () => {
  it('that is killed between doing and writing down is taken up again, and counts nothing twice', async () => {
    configure(BY_MEANING);
    await addHerons(30);
    const request = { tenantId: NIL_TENANT, job: 'merging', trigger: 'request', dryRun: false } as const;
    const signal = new AbortController().signal;
    await expect(runJob(dyingAfter(dependencies, 1), { ...request, signal })).rejects.toThrow('killed');
    const before = (await entriesOf()).filter(({ status }) => status === 'archived').length;
    expect(before).toBeGreaterThan(0);
    clock.advance(SILENCE_MS + 1);
    const done = await runJob(dependencies, { ...request, signal });
    const archived = (await entriesOf()).filter(({ status }) => status === 'archived');
    expect([done.status, done.counts['merged'], done.counts['kept']]).toEqual([
      'completed',
      archived.length,
      30 - archived.length,
    ]);
    expect((await core.maintenance.undo(ROOT, done.runId)).undoneCount).toBe(30);
  });

  it('goes through a large place window after window, in bounded steps, and leaves what is bound alone', async () => {
    configure({ ...BY_MEANING, consolidation: { ...CONSOLIDATION, maxMemoriesBeforeTrigger: 1000 } });
    const contents = Array.from({ length: 1300 }, (_, at) => `${'xyz'.charAt(at % 3)}${at * 7919} q${at} z${at * 31}`);
    // The oldest: they are in the second window.
    await core.addMany(ALICE, [heron('one'), heron('two')].map(user));
    for (let at = 0; at < 1300; at += 650) await core.addMany(ALICE, contents.slice(at, at + 650).map(user));
    await core.addMany(ALICE, [
      { ...user(heron('by name')), externalId: 'mine' },
      { ...user(heron('for a while')), expiresAt: new Date(clock.now() + DAY_MS).toISOString() },
    ]);
    const done = await run('merging');
    expect([done.status, done.counts['places']]).toEqual(['completed', 1]);
    const left = await inUse();
    expect(left).toEqual(expect.arrayContaining([heron('by name'), heron('for a while')]));
    expect(left.filter((content) => [heron('one'), heron('two')].includes(content))).toHaveLength(1);
  });

  it('merges again what was said again, as another version of what it is merged into', async () => {
    configure(BY_MEANING);
    await addHerons(3);
    await run('merging');
    const gone = (await entriesOf()).filter(({ status }) => status === 'archived');
    const kept = (await entriesOf()).find(({ status }) => status === 'active');
    const again = gone.map(({ content }) => user(content));
    await core.addMany(ALICE, again);
    const done = await run('merging');
    expect([done.status, done.counts['merged'], done.counts['kept']]).toEqual(['completed', 2, 1]);
    const survivor = (await entriesOf()).find(({ status }) => status === 'active');
    const { memory } = await core.update(ALICE, { id: survivor?.id ?? '', tags: ['birds'] });
    expect([survivor?.id, memory.version]).toEqual([kept?.id, 4]);
  });

  it('lets no figure go with the text that it stands in', async () => {
    configure(BY_MEANING);
    const contents = ['number 1', 'number 2', 'again number 2', 'number 3'].map(heron);
    await core.addMany(ALICE, contents.map(user));
    const done = await run('merging');
    expect([done.status, done.counts['merged']]).toEqual(['completed', 1]);
    expect(await inUse()).toEqual(expect.arrayContaining([contents[0], contents[3]]));
  });

  it('lets no word go either, unless that is asked for: without a language model, and where it fails', async () => {
    const contents = [heron('with a mate'), heron('without a mate'), heron('WITH a mate!')];
    for (const fail of [false, true]) {
      if (fail) chat = await startChatServer(() => ({ status: 500 }));
      const languageModel = chat && new OpenAiLanguageModel({ clock, baseUrl: chat.url, model: 'tiny' });
      configure({ consolidation: CONSOLIDATION }, languageModel && { languageModel });
      await core.addMany(ALICE, contents.map(user));
      const done = await run('merging');
      expect([done.status, done.counts['merged'], done.counts['fallbacks']]).toEqual(['completed', 1, Number(fail)]);
      expect(await inUse()).toEqual(expect.arrayContaining([contents[1]]));
      expect(await inUse()).toHaveLength(2);
      await core.forget(ALICE, { ids: (await entriesOf()).map(({ id }) => id) });
    }
  });

  it('clusters no memory twice and none alone, around what is most central', async () => {
    const embedder = new HashEmbedder();
    const contents = [heron('a'), 'Ada likes tea', heron('b'), heron('a b'), 'the build takes nine minutes'];
    const vectors = await embedder.embed(contents);
    const located = contents.map((content, at) => ({
      entry: { ...EXAMPLE_ENTRY, id: String(at), content },
      vector: vectors[at] ?? new Float32Array(),
    }));
    const rest = async (): Promise<void> => {};
    const clustering = { threshold: 0.75, maxSize: 12, fits: () => true, rest };
    const [cluster, ...none] = await clustersOf(located, clustering);
    expect(none).toEqual([]);
    expect(cluster?.centre.content).toBe(heron('a b'));
    expect(cluster?.sources.map(({ content }) => content)).toEqual([heron('a'), heron('b')]);
    expect(await clustersOf(located, { ...clustering, maxSize: 2 })).toHaveLength(1);
    expect(await clustersOf(located, { ...clustering, fits: () => false })).toEqual([]);
  });
});

describe('what is off', () => {
  const NIGHTLY = cronSchedule('0 4 * * *');
  const round = (): Promise<unknown> =>
    upkeepRound(dependencies, { schedule: NIGHTLY, signal: new AbortController().signal });
  const jobs = async (): Promise<string[]> => {
    const runs: MaintenanceRunRecord[] = await engine.records.maintenanceRuns.list(ROOT, { where: {}, limit: 100 });
    return runs.map(({ job }) => job).toSorted();
  };

  it('is refused on demand and not done at night, but can be looked at', async () => {
    configure({});
    await addHerons(1);
    clock.advance(400 * DAY_MS);
    for (const job of ['decay', 'merging', 'distillation', 'session_cleanup'] as const) {
      await expect(run(job)).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        message: expect.stringContaining(`${job} is off`),
      });
      expect((await core.maintenance.run(ROOT, { job, dryRun: true })).status).toBe('completed');
    }
    expect((await core.maintenance.run(ROOT, { job: 'decay', dryRun: true })).counts['archived']).toBe(1);
    await round();
    expect(new Set(await jobs())).toEqual(
      new Set(['decay', 'merging', 'distillation', 'session_cleanup', 'deduplication', 'context_rot', 'integrity']),
    );
    expect(
      (await engine.records.maintenanceRuns.list(ROOT, { where: { job: ['decay'] }, limit: 9 })).every(
        ({ dryRun }) => dryRun,
      ),
    ).toBe(true);
  });

  it('is done at night once it is on', async () => {
    const decay = { enabled: true };
    configure({ decay, consolidation: CONSOLIDATION, sessionCleanup: { autoDelete: true } });
    await addHerons(1);
    clock.advance(2 * DAY_MS);
    await round();
    expect(await jobs()).toEqual([
      'context_rot',
      'decay',
      'deduplication',
      'distillation',
      'integrity',
      'merging',
      'session_cleanup',
    ]);
  });
});

describe('promotions that are blocked', () => {
  it('are counted, also as a metric', async () => {
    const telemetry = createOpenTelemetry();
    configure({}, { telemetry });
    const { memory } = await core.add(ALICE, { ...user('Ada earns 1200'), sensitivity: 'restricted' });
    const promotion = core.promote(ALICE, { id: memory.id, layer: 'project', identifiers: { projectId: 'p' } });
    await expect(promotion).rejects.toMatchObject({ code: 'FORBIDDEN', details: { blocked: 1 } });
    expect(await telemetry.metrics()).toMatch(/^lamina_promotions_blocked(?:_total)? 1\b/m);
    expect(await entriesOf()).toHaveLength(1);
    await telemetry.shutdown();
  });
});

describe('sessions that have ended', () => {
  const place = { layer: 'session', identifiers: { userId: 'alice', sessionId: 's' } } as const;

  it('are cleaned up in the background after their time, and what the user deleted does not come back', async () => {
    const blocked: number[] = [];
    const telemetry = { promotionsBlocked: (count: number) => blocked.push(count) };
    configure({ sessionCleanup: { autoDelete: true, promoteImportant: true, retentionPeriod: '12h' } }, { telemetry });
    await core.sessions.create(ALICE, { sessionId: 's' });
    await core.sessions.create(ALICE, { sessionId: 'open' });
    await core.addMany(ALICE, [
      { ...place, content: 'important', importance: 1 },
      { ...place, content: 'restricted', importance: 1, sensitivity: 'restricted' },
      { ...place, content: 'unsure', importance: 1, confidence: 0.5 },
      { ...place, content: 'still open', importance: 1, identifiers: { userId: 'alice', sessionId: 'open' } },
    ]);
    expect((await core.sessions.update(ALICE, { sessionId: 's', ended: true })).cleanUp).toEqual({
      promoted: 1,
      blocked: 1,
    });
    expect(blocked).toEqual([1]);
    const [mine] = (await core.list(ALICE, { layer: 'user' })).memories;
    expect(mine?.content).toBe('important');
    await core.delete(ALICE, { id: mine?.id ?? '' });
    const sweep = (): Promise<unknown> =>
      upkeepRound(dependencies, { schedule: undefined, signal: new AbortController().signal });
    await sweep();
    expect(await entriesOf()).toHaveLength(4);
    clock.advance(DAY_MS / 2);
    await sweep();
    await sweep();
    expect((await entriesOf()).map(({ content }) => content)).toEqual(['still open']);
    const runs = await engine.records.maintenanceRuns.list(ROOT, { where: {}, limit: 10 });
    expect(runs.map(({ job, counts }) => [job, counts])).toEqual([
      ['session_cleanup', { sessions: 1, promoted: 0, blocked: 1, removed: 3 }],
    ]);
  });

  it('are all cleaned up at night, also where the background has just cleaned up a recent one', async () => {
    configure({});
    const ended = async (sessionId: string): Promise<void> => {
      await core.sessions.create(ALICE, { sessionId });
      await core.add(ALICE, { ...place, content: sessionId, identifiers: { userId: 'alice', sessionId } });
      await core.sessions.update(ALICE, { sessionId, ended: true });
    };
    await ended('long ago');
    clock.advance(60 * DAY_MS);
    await ended('lately');
    configure({ sessionCleanup: { autoDelete: true, retentionPeriod: '12h' } });
    clock.advance(DAY_MS);
    const night = { schedule: cronSchedule('0 4 * * *'), signal: new AbortController().signal };
    await upkeepRound(dependencies, night);
    expect(await entriesOf()).toEqual([]);
    const where = { job: ['session_cleanup'] } as const;
    const runsOf = async (): Promise<unknown[]> =>
      (await engine.records.maintenanceRuns.list(ROOT, { where, limit: 10 })).map(({ trigger, counts }) => [
        trigger,
        counts['sessions'],
      ]);
    const both = expect.arrayContaining([
      ['sweep', 1],
      ['schedule', 1],
    ]);
    expect(await runsOf()).toEqual(both);
    await upkeepRound(dependencies, night);
    expect(await runsOf()).toHaveLength(2);
  });

  it('stay as they are where nothing is configured', async () => {
    configure({});
    await core.sessions.create(ALICE, { sessionId: 's' });
    await core.add(ALICE, { ...place, content: 'important', importance: 1 });
    expect((await core.sessions.update(ALICE, { sessionId: 's', ended: true })).cleanUp).toBeUndefined();
    clock.advance(400 * DAY_MS);
    await upkeepRound(dependencies, { schedule: undefined, signal: new AbortController().signal });
    expect((await entriesOf()).map(({ layer }) => layer)).toEqual(['session']);
  });
});

describe('events', () => {
  const eventsAfterRound = async (): Promise<number> => {
    await upkeepRound(dependencies, { schedule: undefined, signal: new AbortController().signal });
    return (await engine.events.read(ALICE, undefined, 5000)).items.length;
  };

  it('go when they are older than they are to be kept, and stay for ever where that is said', async () => {
    configure({ events: { retentionPeriod: '0' } });
    for (const word of ['old', 'older']) {
      const inputs = Array.from({ length: 600 }, (_, n) => ({ content: `${word} ${n}`, layer: 'user' as const }));
      await core.addMany(ALICE, inputs);
    }
    clock.advance(400 * DAY_MS);
    await core.add(ALICE, { content: 'new', layer: 'user' });
    expect(await eventsAfterRound()).toBe(1201);
    configure({});
    expect(await eventsAfterRound()).toBe(1);
    clock.advance(365 * DAY_MS);
    expect(await eventsAfterRound()).toBe(1);
    configure({ events: { retentionPeriod: '52w' } });
    expect(await eventsAfterRound()).toBe(0);
    expect(await entriesOf()).toHaveLength(1201);
  });
});

describe('the log of a context', () => {
  const visits = async (): Promise<string[]> => {
    await upkeepRound(dependencies, { schedule: undefined, signal: new AbortController().signal });
    const { items } = await engine.archive.read(NIL_TENANT, 'contextAccesses', 5000);
    return items.map(({ action }) => action);
  };

  it('reaches back for as long as is configured, and goes with the context, however long it is', async () => {
    configure({ contextLog: { retentionPeriod: '0' } });
    const { contextId } = await core.contexts.create(ALICE, { name: 'c', type: 'shared_context' });
    const come = (count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, () => core.contexts.get(ALICE, contextId)));
    await come(410);
    clock.advance(400 * DAY_MS);
    await core.contexts.update(ALICE, { contextId, name: 'another' });
    expect(await visits()).toHaveLength(412);
    configure({});
    expect(await visits()).toEqual(['contexts.update']);
    await come(210);
    await core.contexts.delete(ALICE, { contextId });
    expect(await visits()).toEqual([]);
  });
});

describe('records of runs', () => {
  it('go after ninety days, however many, also where nothing is done by schedule', async () => {
    configure({});
    const over = { job: 'expiry', status: 'completed', trigger: 'sweep', dryRun: false } as const;
    const at = new Date(clock.now()).toISOString();
    const times = { startedAt: at, createdAt: at, updatedAt: at };
    const empty = () => ({ counts: {}, changes: [], progress: {} });
    const { maintenanceRuns } = engine.records;
    for (let count = 0; count < 250; count += 1)
      await maintenanceRuns.create(ROOT, { ...over, ...times, ...empty(), runId: dependencies.ids.next() });
    await core.add(ALICE, user('so that there is a tenant'));
    clock.advance(90 * DAY_MS + 1);
    await run('integrity');
    await upkeepRound(dependencies, { schedule: undefined, signal: new AbortController().signal });
    const left = await maintenanceRuns.list(ROOT, { where: {}, limit: 300 });
    expect(left.map(({ job }) => job)).toEqual(['integrity']);
  });
});

describe('upkeep that fails', () => {
  it('is told once a round, by step and error code, and the rest of the round is done', async () => {
    const failures: unknown[] = [];
    const telemetry = { upkeepFailed: (failure: unknown) => failures.push(failure) };
    const upkeep = { pruneEvents: async (): Promise<number> => Promise.reject(new LaminaError('UNAVAILABLE', 'no')) };
    const swept: string[] = [];
    configure({}, { telemetry, upkeep: replaced(engine.upkeep, upkeep) });
    const other = '22222222-2222-4222-8222-222222222222';
    for (const tenantId of [NIL_TENANT, other]) await core.add({ ...ALICE, tenantId }, user('tea'));
    const signal = new AbortController().signal;
    const maintenanceRuns = replaced(engine.records.maintenanceRuns, {
      list: async ({ tenantId }: Principal) => {
        swept.push(tenantId);
        throw new Error('no');
      },
    });
    const records = { ...engine.records, maintenanceRuns };
    await upkeepRound({ ...dependencies, records }, { schedule: undefined, signal });
    expect(failures).toEqual([
      { step: 'events', code: 'UNAVAILABLE', count: 2 },
      { step: 'runs', code: 'PROVIDER_ERROR', count: 2 },
      { step: 'tenant', code: 'PROVIDER_ERROR', count: 2 },
    ]);
    expect(new Set(swept)).toEqual(new Set([NIL_TENANT, other]));
  });
});
