/** The embedder of a process: the configured model until the database names another, and then that one, in every respect. */

import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/compose/system.ts';
import { ChangingEmbedder } from '../src/core/spaces/changing-embedder.ts';
import { usedSpaceOf } from '../src/core/spaces/same-space.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { EmbedderSettings } from '../src/ports/embedder.ts';
import type { SpacesInUse } from '../src/ports/space-store.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

class WatchedHash extends HashEmbedder {
  readonly forgotten: string[] = [];
  isClosed = false;

  override forget(texts: readonly string[] = []): void {
    this.forgotten.push(...texts);
  }

  override async close(): Promise<void> {
    this.isClosed = true;
  }
}

async function opened(make?: (settings: EmbedderSettings) => WatchedHash | undefined) {
  const folder = await makeFolder();
  const engine = new SqliteEngine({ folder, clock: systemClock });
  onTestFinished(async () => {
    await engine.close();
    await removeFolder(folder);
  });
  const [configured, other] = [new WatchedHash({ dims: 64 }), new WatchedHash({ dims: 128 })];
  const warnings: string[] = [];
  const embedder = new ChangingEmbedder({
    spaces: engine.spaces,
    configured,
    make: make ?? (({ dimensions }) => (dimensions === 128 ? other : undefined)),
    warn: (message) => warnings.push(message),
  });
  const [active, target] = [await usedSpaceOf(configured), await usedSpaceOf(other)];
  let revision = 0;
  const change = async (state: Partial<SpacesInUse>): Promise<void> => {
    revision += 1;
    const begun = { phase: 'filling', active, other: target, isSwitching: false, startedAt: 0, changedAt: 0 } as const;
    expect(await engine.spaces.change({ ...begun, ...state, revision })).toBe(true);
    await embedder.inUse({ anew: true });
  };
  return { engine, embedder, configured, other, active, target, change, warnings };
}

it('takes the space, the calibration and the vectors from the one that the database names', async () => {
  const { embedder, configured, other, active, target, change, warnings } = await opened();
  expect(await embedder.inUse()).toEqual({ active: configured, other: undefined, needsOther: false });
  expect([await embedder.space(), await embedder.notice()]).toEqual([await configured.space(), undefined]);
  await change({});
  expect(await embedder.inUse()).toEqual({ active: configured, other, needsOther: false });
  expect(await embedder.notice()).toContain('being changed to test:hash-128');
  await change({ isSwitching: true });
  expect(await embedder.inUse()).toEqual({ active: configured, other, needsOther: true });
  await change({ phase: 'cut_over', active: target, other: active });
  expect(await embedder.inUse()).toEqual({ active: other, other: configured, needsOther: false });
  expect(await embedder.space()).toEqual(await other.space());
  expect(await embedder.calibration()).toEqual(await other.calibration());
  expect((await embedder.embed(['x']))[0]).toHaveLength(128);
  await change({ phase: 'dropping', active: target, other: active });
  expect(await embedder.inUse()).toEqual({ active: other, other: undefined, needsOther: false });
  expect(warnings).toEqual([expect.stringContaining('instead of the configured model')]);
  embedder.forget(['secret']);
  expect([configured.forgotten, other.forgotten]).toEqual([['secret'], ['secret']]);
  await embedder.close();
  expect([configured.isClosed, other.isClosed]).toEqual([true, true]);
});

it('notices a change within a second of use', async () => {
  const { embedder, active, target, change, engine } = await opened();
  await change({});
  const state = { phase: 'cut_over', isSwitching: false, startedAt: 0, changedAt: 0, revision: 2 } as const;
  await engine.spaces.change({ ...state, active: target, other: active });
  expect(await embedder.space()).toEqual(active.space);
  await new Promise((resolve) => setTimeout(resolve, 1050));
  expect(await embedder.space()).toEqual(target.space);
});

it('goes on without a model that it does not know, unless that one answers', async () => {
  const { embedder, configured, active, target, change, warnings } = await opened(() => undefined);
  await change({});
  expect(await embedder.inUse()).toEqual({ active: configured, other: undefined, needsOther: false });
  expect(warnings).toEqual([expect.stringContaining('one embedding space only')]);
  await expect(change({ phase: 'cut_over', active: target, other: active })).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message: expect.stringContaining('test:hash-128'),
  });
});
