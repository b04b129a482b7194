/** The embedding model is changed while people write and search: nothing is missing, and no search is empty, at any moment. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { Lamina } from '../src/compose/lamina.ts';
import { modelChangeOver, type OpenModelChange } from '../src/compose/model-change.ts';
import { systemClock } from '../src/compose/system.ts';
import {
  beginModelChange,
  cutOver,
  fillForModel,
  leaveModel,
  modelChangeStatus,
  rollBack,
} from '../src/core/spaces/model-change.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Embedder, EmbedderSettings } from '../src/ports/embedder.ts';
import type { Engine } from '../src/ports/engine.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ModelLoad } from './model-load.ts';
import { describeOnPostgres } from './postgres-server.ts';
import { serverUnderTest } from './postgres-server-subject.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const OLD = { provider: 'test', dimensions: 256 };
const NEW = { provider: 'test', dimensions: 320 };
const [oldSpace, newSpace] = [OLD, NEW].map(({ dimensions }) => ({ model: `test:hash-${dimensions}`, dimensions })) as [
  { model: string; dimensions: number },
  { model: string; dimensions: number },
];
const { signal } = new AbortController();

function embedderFor({ dimensions = 0 }: EmbedderSettings): Embedder {
  return new HashEmbedder({ dims: dimensions });
}

/** Opens another engine on the same database with every call. */
type OpenEngine = () => Promise<Engine>;

async function openLamina(open: OpenEngine, settings: EmbedderSettings = OLD): Promise<Lamina> {
  const lamina = await Lamina.open({ engine: await open(), embedder: embedderFor(settings), embedderFor });
  onTestFinished(() => lamina.close());
  return lamina;
}

async function openChange(open: OpenEngine): Promise<OpenModelChange> {
  const change = modelChangeOver(await open(), { configured: embedderFor(OLD), make: embedderFor });
  onTestFinished(() => change.close());
  return change;
}

function changesOfModels(open: () => Promise<OpenEngine>): void {
  it('goes from one to the other, back and on again, under load', { timeout: 60_000 }, async () => {
    const openEngine = await open();
    const laminas = [await openLamina(openEngine), await openLamina(openEngine)];
    const memories = laminas.map((lamina, who) => lamina.as({ userId: `u${who}` }));
    const load = new ModelLoad(memories);
    await load.seed(600);
    load.start();
    const { needs, configured, embedderFor: make, overlap } = await openChange(openEngine);
    const target = make(NEW);
    const missing = (space = newSpace): Promise<number> => needs.spaces.countUnembedded(NIL_TENANT, space);
    const dimensions = async (): Promise<number[]> =>
      Promise.all(
        memories.map(async (memory) => {
          const asked = { query: 'seed', identifiers: { projectId: 'p' }, includeEmbeddings: true, threshold: 0 };
          return (await memory.search(asked)).results[0]?.memory.embedding?.length ?? 0;
        }),
      );
    const begun = await beginModelChange(needs, configured, target);
    expect(begun).toMatchObject({ phase: 'filling', active: { space: oldSpace }, other: { space: newSpace } });
    await expect(cutOver(needs, target, { signal })).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });

    const stopped = new AbortController();
    let pages = 0;
    const progress = (): void => void ((pages += 1) === 3 && stopped.abort());
    await expect(fillForModel(needs, target, { signal: stopped.signal, progress })).rejects.toThrow();
    const left = await missing();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(load.contents.size);
    expect(await dimensions()).toEqual([256, 256]);
    expect(await beginModelChange(needs, configured, target)).toEqual(begun);
    // From a second after it began, whatever is written has both.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await fillForModel(needs, target, { signal })).toBeGreaterThanOrEqual(left);

    expect((await modelChangeStatus(needs)).missing).toBe(0);
    const compared = await overlap({ space: oldSpace, settings: OLD }, { space: newSpace, settings: NEW });
    expect(compared.queries).toBeGreaterThan(5);
    expect(compared.overlapAt10).toBeGreaterThan(0.3);

    const over = await cutOver(needs, target, { signal });
    expect(over).toMatchObject({ phase: 'cut_over', active: { space: newSpace }, other: { space: oldSpace } });
    expect([await missing(newSpace), await missing(oldSpace)]).toEqual([0, 0]);
    await expect.poll(dimensions, { timeout: 5000 }).toEqual([320, 320]);
    expect((await laminas[0]?.health())?.components['embedder']).toMatchObject({
      status: 'healthy',
      message: expect.stringContaining('test:hash-320'),
    });

    expect(await rollBack(needs, make(OLD), { signal })).toMatchObject({
      phase: 'filling',
      active: { space: oldSpace },
    });
    await expect.poll(dimensions, { timeout: 5000 }).toEqual([256, 256]);
    expect([await missing(newSpace), await missing(oldSpace)]).toEqual([0, 0]);
    await cutOver(needs, target, { signal });

    const searchedBefore = load.searches;
    expect(await leaveModel(needs, 'cut_over', { signal })).toBeGreaterThan(600);
    expect(load.searches).toBeGreaterThan(searchedBefore);
    await load.stop();
    expect(await needs.spaces.read()).toMatchObject({ phase: 'settled', active: { space: newSpace } });
    expect([await missing(newSpace), await missing(oldSpace)]).toEqual([0, load.contents.size]);
    const late = await openLamina(openEngine, OLD);
    const { results } = await late.as({ userId: 'u0' }).search({ query: 'seed', identifiers: { projectId: 'p' } });
    expect(results.length).toBeGreaterThan(0);
  });

  it('does not keep a write from succeeding where the other model fails, and makes up for it', async () => {
    const openEngine = await open();
    const failing = new HashEmbedder({ dims: 320 });
    const lamina = await Lamina.open({
      engine: await openEngine(),
      embedder: embedderFor(OLD),
      embedderFor: () => failing,
    });
    onTestFinished(() => lamina.close());
    const memory = lamina.as({ userId: 'u' });
    const change = await openChange(openEngine);
    const target = change.embedderFor(NEW);
    await memory.add({ layer: 'user', content: 'before' });
    await beginModelChange(change.needs, change.configured, target);
    await fillForModel(change.needs, target, { signal });
    failing.fail = true;
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await memory.add({ layer: 'user', content: 'meanwhile' });
    expect((await modelChangeStatus(change.needs)).missing).toBe(1);
    await expect(cutOver(change.needs, target, { signal })).rejects.toMatchObject({ details: { missing: 1 } });
    expect(await fillForModel(change.needs, target, { signal })).toBe(1);
    expect(await leaveModel(change.needs, 'filling', { signal })).toBe(2);
    await memory.add({ layer: 'user', content: 'afterwards' });
    expect(await change.needs.spaces.read()).toMatchObject({ phase: 'settled', active: { space: oldSpace } });
    await expect(rollBack(change.needs, target, { signal })).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
  });
}

describe('changing the model on SQLite', () => {
  changesOfModels(async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    return async () => new SqliteEngine({ folder, clock: systemClock });
  });
});

const database = await serverUnderTest();

describeOnPostgres('changing the model on PostgreSQL', () => {
  changesOfModels(async () => {
    await database?.open(systemClock);
    return async () => (await database?.another(systemClock)) as Engine;
  });
});
