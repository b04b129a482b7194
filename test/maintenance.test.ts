/** Maintenance on SQLite: runs that are cut short, two at once, tampering, contexts that rot. */

import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCore } from '../src/core/create-core.ts';
import type { Dependencies } from '../src/core/dependencies.ts';
import { runJob, type RunRequest } from '../src/core/maintenance/run-job.ts';
import { SILENCE_MS } from '../src/core/maintenance/run-record.ts';
import type { Entry } from '../src/domain/entry.ts';
import { LaminaError } from '../src/domain/error.ts';
import { lifecyclePolicy } from '../src/domain/lifecycle-policy.ts';
import type { MaintenanceJob } from '../src/domain/maintenance.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { dependenciesOn, dyingAfter } from './maintenance-dependencies.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const ALICE: Principal = { tenantId: NIL_TENANT, userId: 'alice' };
const ROOT: Principal = { tenantId: NIL_TENANT, userId: 'root', roles: ['admin'] };
const DAY_MS = 86_400_000;

let folder: string;
let engine: SqliteEngine;
let clock: ManualClock;
let dependencies: Dependencies;

beforeEach(async () => {
  folder = await makeFolder();
  clock = new ManualClock();
  engine = new SqliteEngine({ folder, clock });
  dependencies = dependenciesOn(engine, clock);
});

afterEach(async () => {
  await engine.close();
  await removeFolder(folder);
});

function request(job: MaintenanceJob, signal: AbortSignal = new AbortController().signal): RunRequest {
  return { tenantId: NIL_TENANT, job, trigger: 'request', dryRun: false, signal };
}

const user = (content: string): { content: string; layer: 'user' } => ({ content, layer: 'user' });

/** Pairs that say the same, the second of each far from the first. */
async function addPairs(count: number): Promise<void> {
  const names = Array.from(
    { length: count },
    (_, n) => `heron number ${n} ${'abcdefghijklmnop'.charAt(n % 16)}${n * 7919}`,
  );
  await createCore(dependencies).addMany(ALICE, names.map(user));
  await createCore(dependencies).addMany(
    ALICE,
    names.map((name) => user(name.toUpperCase())),
  );
}

/** A model to which everything is the same. */
function indifferent(): HashEmbedder {
  const embedder = new HashEmbedder();
  const embed = embedder.embed.bind(embedder);
  embedder.embed = (texts) => embed(texts.map(() => 'anything'));
  return embedder;
}

async function allEntries(): Promise<Entry[]> {
  const { items } = await engine.archive.read(NIL_TENANT, 'entries', 10_000);
  return items.map(({ entry }) => entry);
}

describe('a run', () => {
  it('that is killed between doing and writing down is taken up again, and does and counts nothing twice', async () => {
    await addPairs(110);
    await expect(runJob(dyingAfter(dependencies, 1), request('deduplication'))).rejects.toThrow('killed');
    const [cut] = await engine.records.maintenanceRuns.list(ROOT, { where: {}, limit: 10 });
    expect(cut?.status).toBe('running');
    const before = (await allEntries()).filter(({ status }) => status === 'archived').length;
    expect(before).toBeGreaterThan(cut?.counts['merged'] ?? 0);
    await expect(runJob(dependencies, request('deduplication'))).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    clock.advance(SILENCE_MS + 1);
    const run = await runJob(dependencies, request('deduplication'));
    expect(run).toMatchObject({ runId: cut?.runId, status: 'completed' });
    const entries = await allEntries();
    const archived = entries.filter(({ status }) => status === 'archived');
    expect(run.counts['merged']).toBe(archived.length);
    expect(archived.length).toBeGreaterThanOrEqual(110);
    expect(new Set(archived.map(({ version }) => version))).toEqual(new Set([2]));
    const merges = run.changes.filter(({ action }) => action === 'merged').map(({ entryId }) => entryId);
    expect(merges).toHaveLength(archived.length);
    expect(run.counts['enriched']).toBe(archived.length);
    expect(new Set(merges)).toEqual(new Set(archived.map(({ id }) => id)));
    expect((await runJob(dependencies, request('deduplication'))).counts['merged']).toBe(0);
  });

  it('that is told to stop leaves the rest to the next, at once', async () => {
    await addPairs(60);
    const stopping = new AbortController();
    const stopped = runJob(
      { ...dependencies, clock: { now: () => clock.now(), sleep: async () => stopping.abort() } },
      request('deduplication', stopping.signal),
    );
    expect(await stopped).toMatchObject({ status: 'running' });
    const run = await runJob(dependencies, request('deduplication'));
    expect(run).toMatchObject({ runId: (await stopped).runId, status: 'completed' });
    expect(run.counts['examined']).toBeLessThanOrEqual(120);
    expect((await allEntries()).filter(({ status }) => status === 'archived')).toHaveLength(run.counts['merged'] ?? 0);
  });

  it('that is killed tells of every memory that went into the same one', async () => {
    await createCore(dependencies).addMany(ALICE, ['the owl hoots', 'THE OWL HOOTS', 'The Owl Hoots'].map(user));
    await expect(runJob(dyingAfter(dependencies, 0), request('deduplication'))).rejects.toThrow('killed');
    clock.advance(SILENCE_MS + 1);
    const run = await runJob(dependencies, request('deduplication'));
    expect(run.counts).toMatchObject({ merged: 2, enriched: 2 });
    const steps = run.changes.filter(({ action }) => action === 'enriched').map(({ toVersion }) => toVersion);
    expect(new Set(steps)).toEqual(new Set([2, 3]));
  });

  it('that somebody asked for stays so when the leader takes it up', async () => {
    await addPairs(60);
    await expect(runJob(dyingAfter(dependencies, 1), request('deduplication'))).rejects.toThrow('killed');
    clock.advance(SILENCE_MS + 1);
    const run = await runJob(dependencies, { ...request('deduplication'), trigger: 'schedule' });
    expect(run).toMatchObject({ status: 'completed', trigger: 'request' });
  });

  it('that was taken over is not carried on by who had it before', async () => {
    await addPairs(60);
    let takenOver: Promise<unknown> | undefined;
    // The first one sleeps through all deadlines, while another takes its run over.
    const sleeping = {
      now: () => clock.now(),
      sleep: async () => {
        clock.advance(SILENCE_MS + 1);
        takenOver ??= runJob(dependencies, request('deduplication'));
        await takenOver;
      },
    };
    const first = runJob({ ...dependencies, clock: sleeping }, request('deduplication'));
    await expect(first).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
    expect(await takenOver).toMatchObject({ status: 'completed' });
    expect(await engine.records.maintenanceRuns.list(ROOT, { where: {}, limit: 10 })).toHaveLength(1);
  });

  it('is one at a time, of those that are asked for at once; a dry run is in nobody’s way', async () => {
    await addPairs(5);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => runJob(dependencies, request('deduplication'))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'VERSION_CONFLICT' });
    }
    const [first, second] = await Promise.all([
      runJob(dependencies, { ...request('integrity'), dryRun: true }),
      runJob(dependencies, request('integrity')),
    ]);
    expect([first.status, second.status]).toEqual(['completed', 'completed']);
  });

  it('that fails says why, and the next one does what it did not', async () => {
    await addPairs(5);
    const failing = new HashEmbedder();
    failing.space = () => Promise.reject(new Error('secret'));
    const failed = await runJob({ ...dependencies, embedder: failing }, request('deduplication'));
    expect(failed).toMatchObject({ status: 'failed', counts: { merged: 0 } });
    expect(failed.error).not.toContain('secret');
    expect(await runJob(dependencies, request('deduplication'))).toMatchObject({ status: 'completed' });
    expect((await allEntries()).filter(({ status }) => status === 'archived').length).toBeGreaterThanOrEqual(5);
  });

  it('of deduplication looks only at what was written since the last one', async () => {
    await addPairs(5);
    for (let day = 0; day < 2; day += 1) {
      await runJob(dependencies, request('deduplication'));
      clock.advance(DAY_MS);
    }
    expect((await runJob(dependencies, request('deduplication'))).counts['examined']).toBe(0);
    await createCore(dependencies).add(ALICE, user('Heron Number 0 a0'));
    const run = await runJob(dependencies, request('deduplication'));
    expect(run.counts).toMatchObject({ examined: 1, merged: 1 });
  });
});

describe('deduplication', () => {
  it('goes on beside writers, none of whom it loses anything of', async () => {
    await addPairs(60);
    const core = createCore(dependencies);
    const running = runJob(dependencies, request('deduplication'));
    const written: string[] = [];
    for (let n = 0; n < 60; n += 1)
      written.push((await core.add(ALICE, user(`written meanwhile ${n * 104_729}`))).memory.id);
    expect(await running).toMatchObject({ status: 'completed' });
    const found = new Map((await allEntries()).map((entry) => [entry.id, entry]));
    for (const id of written) {
      const { status, provenance } = found.get(id) ?? {};
      expect(status === 'active' || found.has(provenance?.mergedInto ?? '')).toBe(true);
    }
  });

  it('keeps the one with a name, then the one that is read more, then the one that matters more', async () => {
    const core = createCore(dependencies);
    const add = async (content: string, fields: object = {}): Promise<Entry> =>
      (await core.add(ALICE, { ...user(content), ...fields })).memory;
    const [plain, named] = [await add('one owl', { importance: 1 }), await add('ONE OWL', { externalId: 'owl' })];
    const [important, read] = [await add('two foxes', { importance: 1 }), await add('TWO FOXES')];
    const [light, heavy] = [await add('three wolves'), await add('THREE WOLVES', { importance: 0.9 })];
    await core.get(ALICE, { id: read.id });
    await engine.close();
    engine = new SqliteEngine({ folder, clock });
    dependencies = dependenciesOn(engine, clock);
    await runJob(dependencies, request('deduplication'));
    const into = new Map((await allEntries()).map(({ id, provenance }) => [id, provenance?.mergedInto]));
    expect([into.get(plain.id), into.get(important.id), into.get(light.id)]).toEqual([named.id, read.id, heavy.id]);
  });

  it('leaves apart what ends at another time, is guarded otherwise, or stands for something else', async () => {
    const core = createCore(dependencies);
    const pointer = (sourceId: string): object => ({
      knowledgePointer: {
        sourceType: 'adr',
        sourceId,
        contentHash: 'x',
        syncedAt: new Date(clock.now()).toISOString(),
      },
    });
    const later = new Date(clock.now() + DAY_MS).toISOString();
    const differences: [object, object][] = [
      [{}, { expiresAt: later }],
      [{ sensitivity: 'restricted' }, {}],
      [pointer('a'), pointer('b')],
    ];
    for (const [at, [one, other]] of differences.entries()) {
      const name = ['the owl hoots', 'two foxes bark', 'all wolves howl'][at] ?? '';
      await core.add(ALICE, { ...user(name), ...one });
      await core.add(ALICE, { ...user(name.toUpperCase()), ...other });
    }
    expect((await runJob(dependencies, request('deduplication'))).counts).toMatchObject({ examined: 6, merged: 0 });
  });

  it('reports what it did before a failure that passed', async () => {
    await addPairs(5);
    const { entries } = dependencies;
    let calls = 0;
    const failingOnce: Dependencies['entries'] = Object.create(entries, {
      candidates: {
        value: (...given: Parameters<typeof entries.candidates>) => {
          calls += 1;
          if (calls === 4) return Promise.reject(new LaminaError('UNAVAILABLE', 'Gone for a moment.'));
          return entries.candidates(...given);
        },
      },
      // Private fields are reached through the very object that has them.
      transaction: { value: entries.transaction.bind(entries) },
      find: { value: entries.find.bind(entries) },
      history: { value: entries.history.bind(entries) },
    });
    const run = await runJob({ ...dependencies, entries: failingOnce }, request('deduplication'));
    expect(run.status).toBe('completed');
    expect((await allEntries()).filter(({ status }) => status === 'archived')).toHaveLength(run.counts['merged'] ?? 0);
    expect(run.counts['merged']).toBeGreaterThanOrEqual(5);
  });

  const OPENING = `Minutes of the weekly meeting. ${'Present were Ada, Ben and Cem, and nobody else. '.repeat(35)}`;
  const CONTRADICTIONS = [
    ['Alice is not allergic to nuts', 'Alice is allergic to nuts'],
    ['Dana deploys on Tuesdays', 'Dana deploys on Thursdays now, no longer on Tuesdays'],
    ['Backups are disabled', 'Backups are enabled'],
    ['Tom likes his steak rare', 'Tom no longer likes his steak rare'],
    ['John reports to Mary', 'Mary reports to John'],
    ['My sister is called Anna', 'My brother is called Anna'],
    ['The door code is changed on Tuesday', 'The door code was changed on Tuesday'],
    ['ship on Friday', 'do not ship', 'ask Dana'].map((decision) => `${OPENING}Decision: ${decision}.`),
  ].flat();

  it('loses nothing that was said, however alike a model finds it', async () => {
    dependencies = { ...dependencies, embedder: indifferent() };
    const core = createCore(dependencies);
    await core.addMany(ALICE, CONTRADICTIONS.map(user));
    expect((await runJob(dependencies, request('deduplication'))).counts).toMatchObject({ merged: 0 });
    await core.addMany(ALICE, [user('backups are ENABLED!'), user(`${OPENING}Decision: Do not ship`)]);
    const run = await runJob(dependencies, request('deduplication'));
    expect(run.counts).toMatchObject({ merged: 2 });
    const active = (await allEntries()).filter(({ status }) => status === 'active').map(({ content }) => content);
    // The later one stays.
    expect(active.filter((content) => /backups/i.test(content)).toSorted()).toEqual([
      'Backups are disabled',
      'backups are ENABLED!',
    ]);
    expect(active).toHaveLength(CONTRADICTIONS.length);
  });

  it('goes by meaning alone where that is asked for, and then too the later one stays', async () => {
    const lifecycle = lifecyclePolicy({ deduplication: { by: 'meaning' } });
    dependencies = { ...dependencies, lifecycle, embedder: indifferent() };
    await createCore(dependencies).addMany(ALICE, CONTRADICTIONS.map(user));
    await runJob(dependencies, request('deduplication'));
    const active = (await allEntries()).filter(({ status }) => status === 'active').map(({ content }) => content);
    expect(active).toEqual([CONTRADICTIONS.at(-1)]);
  });

  it('puts all that say the same into the one that stays, and none into one that goes itself', async () => {
    const core = createCore(dependencies);
    for (const content of ['the owl hoots', 'THE OWL HOOTS', 'The Owl Hoots', 'The owl hoots.']) {
      await core.add(ALICE, user(content));
      clock.advance(1);
    }
    await runJob(dependencies, request('deduplication'));
    const entries = await allEntries();
    const kept = entries.find(({ status }) => status === 'active');
    expect(kept).toMatchObject({ content: 'The owl hoots.', provenance: { mergedFrom: { length: 3 } } });
    expect(new Set(entries.flatMap(({ provenance }) => provenance?.mergedInto ?? []))).toEqual(new Set([kept?.id]));
  });

  it('leaves apart what began to hold at another time', async () => {
    const core = createCore(dependencies);
    await core.add(ALICE, { ...user('the owl hoots'), validFrom: '2026-01-01T00:00:00.000Z' });
    await core.add(ALICE, { ...user('THE OWL HOOTS'), validFrom: '2026-02-01T00:00:00.000Z' });
    expect((await runJob(dependencies, request('deduplication'))).counts).toMatchObject({ merged: 0 });
  });

  it('never takes two figures for the same', async () => {
    const core = createCore(dependencies);
    await core.addMany(
      ALICE,
      ['1001', '1002', '1003'].map((n) => user(`the parcel ${'to the harbour '.repeat(9)}${n}`)),
    );
    await core.add(ALICE, user(`THE PARCEL ${'TO THE HARBOUR '.repeat(9)}1002`));
    const run = await runJob(dependencies, request('deduplication'));
    expect(run.counts).toMatchObject({ examined: 4, merged: 1 });
  });

  it('lets others in after every entry, also where nothing is merged', async () => {
    const owls = Array.from({ length: 60 }, (_, n) => user(`owl ${n * 7919}`));
    await createCore(dependencies).addMany(ALICE, owls);
    let turns = 0;
    const over = new AbortController();
    const others = (async () => {
      for (; !over.signal.aborted; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    })();
    const run = await runJob(dependencies, request('deduplication'));
    over.abort();
    await others;
    expect(run.counts).toMatchObject({ examined: 60, merged: 0 });
    expect(turns).toBeGreaterThanOrEqual(60);
  });

  it('merges nothing whose metadata would be too large together', async () => {
    const limits = { ...dependencies.limits, metadataBytes: 60 };
    const core = createCore({ ...dependencies, limits });
    for (const [key, content] of ['one owl', 'ONE OWL'].entries()) {
      await core.add(ALICE, { ...user(content), metadata: { [`key ${key}`]: 'x'.repeat(40) } });
    }
    const run = await runJob({ ...dependencies, limits }, request('deduplication'));
    expect(run).toMatchObject({ status: 'completed', counts: { merged: 0 } });
  });
});

describe('expiry', () => {
  it('counts the state that it removes, of its tenant alone', async () => {
    const core = createCore(dependencies);
    const other: Principal = { tenantId: '11111111-1111-4111-8111-111111111111', userId: 'alice' };
    for (const principal of [ALICE, other]) {
      await core.shortTerm.write(principal, { sessionId: 's', key: 'k', value: 1, ttlSeconds: 60 });
    }
    clock.advance(60_000);
    const run = await runJob(dependencies, request('expiry'));
    expect(run).toMatchObject({ status: 'completed', counts: { removed: 0, pools: 0, state: 1 } });
    expect((await runJob(dependencies, request('expiry'))).counts['state']).toBe(0);
  });
});

describe('the integrity audit', () => {
  it('reports what cannot be read at all, and goes on with the rest', async () => {
    const core = createCore(dependencies);
    const contents = ['the heron flew south', 'the owl hoots', 'the fox barks', 'the wolf howls'];
    const [broken, none, versioned, last] = (await core.addMany(ALICE, contents.map(user))).map(
      ({ memory }) => memory.id,
    );
    await core.update(ALICE, { id: versioned ?? '', content: 'the fox sleeps' });
    await engine.close();
    const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`));
    db.prepare("UPDATE entries SET metadata = 'not json' WHERE id = ?").run(broken);
    db.prepare("UPDATE entries SET identifiers = 'null' WHERE id = ?").run(none);
    db.prepare("UPDATE entries SET content = 'the wolf sleeps' WHERE id = ?").run(last);
    db.prepare("UPDATE entry_versions SET entry = '{'").run();
    db.close();
    engine = new SqliteEngine({ folder, clock });
    const run = await runJob(dependenciesOn(engine, clock), request('integrity'));
    expect(run).toMatchObject({ status: 'completed', counts: { examined: 5, tampered: 4, unindexed: 0 } });
    expect(new Set(run.changes.map(({ entryId }) => entryId))).toEqual(new Set([broken, none, versioned, last]));
    expect((await runJob(dependenciesOn(engine, clock), request('deduplication'))).status).toBe('completed');
  });

  it('finds contents that were changed behind its back, in entries and in versions, and never tells them', async () => {
    const core = createCore(dependencies);
    const [entry, versioned, bare] = (
      await core.addMany(ALICE, [user('the heron flew south'), user('the owl hoots'), user('the fox barks')])
    ).map(({ memory }) => memory.id);
    await core.update(ALICE, { id: versioned ?? '', content: 'the owl sleeps' });
    await engine.close();
    const db = new Sqlite(join(folder, 'tenants', `${NIL_TENANT}.db`));
    db.prepare("UPDATE entries SET content = 'the heron flew north' WHERE id = ?").run(entry);
    db.prepare("UPDATE entry_versions SET entry = replace(entry, 'the owl hoots', 'the owl sings')").run();
    db.prepare('DELETE FROM embeddings WHERE seq = (SELECT seq FROM entries WHERE id = ?)').run(bare);
    db.close();
    engine = new SqliteEngine({ folder, clock });
    const run = await runJob(dependenciesOn(engine, clock), request('integrity'));
    expect(run).toMatchObject({ status: 'completed', counts: { examined: 4, tampered: 2, unindexed: 1 } });
    expect(run.changes.map(({ action, entryId, toVersion }) => [action, entryId, toVersion])).toEqual([
      ['tampered', entry, 1],
      ['unindexed', bare, 1],
      ['tampered', versioned, 1],
    ]);
    expect(JSON.stringify(run)).not.toMatch(/heron|owl|fox/);
  });
});
