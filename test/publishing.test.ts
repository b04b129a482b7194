/** Making visible to others what is one's own: whichever operation does it, nothing that is confidential or restricted. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Core } from '../src/core/core.ts';
import { createCore } from '../src/core/create-core.ts';
import type { Entry } from '../src/domain/entry.ts';
import { NIL_TENANT, type Principal } from '../src/domain/principal.ts';
import { isPublished } from '../src/domain/promotion.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { dependenciesOn } from './maintenance-dependencies.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const ALICE: Principal = { tenantId: NIL_TENANT, userId: 'alice' };
const OWN = { content: 'Ada earns 1200', externalId: 'pay', userId: 'alice' } as const;
const PROJECT = { layer: 'project', identifiers: { projectId: 'p' } } as const;

let folder: string;
let engine: SqliteEngine;
let core: Core;
let blocked: number;

beforeEach(async () => {
  folder = await makeFolder();
  const clock = new ManualClock();
  engine = new SqliteEngine({ folder, clock });
  blocked = 0;
  const promotionsBlocked = (count: number): void => void (blocked += count);
  core = createCore({ ...dependenciesOn(engine, clock), telemetry: { maintenanceEnded: () => {}, promotionsBlocked } });
});

afterEach(async () => {
  await engine.close();
  await removeFolder(folder);
});

const stored = async (): Promise<Entry[]> =>
  (await engine.archive.read(NIL_TENANT, 'entries', 100)).items.map(({ entry }) => entry);

/** Refused, changed nothing, and was counted once. */
async function refused(publishing: () => Promise<unknown>): Promise<void> {
  const [before, count] = [await stored(), blocked];
  const message = expect.stringContaining('never made visible to others');
  await expect(publishing()).rejects.toMatchObject({ code: 'FORBIDDEN', message });
  expect(await stored()).toEqual(before);
  expect(blocked).toBe(count + 1);
}

const PUBLISHED = { visibility: 'shared', layer: 'company' };

it.each(['confidential', 'restricted'] as const)(
  'is refused by every operation for what is %s',
  async (sensitivity) => {
    const own = await core.semantic.store(ALICE, { ...OWN, public: false, sensitivity });
    const { id } = own;
    for (const accessPolicy of ['shared', 'organization', 'public'] as const) {
      await refused(() => core.openspec.update(ALICE, { id, entry: { accessPolicy } }));
    }
    await refused(() => core.semantic.store(ALICE, { ...OWN, public: true }));
    await refused(() => core.semantic.store(ALICE, { ...OWN, content: 'Ada earns 1300', public: true }));
    await refused(() => core.semantic.upsert(ALICE, { ...OWN, public: true }));
    await refused(() => core.update(ALICE, { id, visibility: 'shared' }));
    await refused(() => core.add(ALICE, { content: OWN.content, layer: 'user', visibility: 'shared' }));
    const inProject = { ...PROJECT, content: 'Bea earns 1400', visibility: 'private', sensitivity } as const;
    const { memory } = await core.add(ALICE, inProject);
    await refused(() => core.update(ALICE, { id: memory.id, visibility: 'shared' }));
  },
);

it('is its owner’s to do for everything else, and nothing is taken out', async () => {
  const content = 'Ask ada@example.org';
  const { id } = await core.semantic.store(ALICE, { ...OWN, content, public: false });
  const { memory } = await core.semantic.store(ALICE, { ...OWN, content, public: true });
  expect(memory).toMatchObject({ ...PUBLISHED, id, content });
  expect(blocked).toBe(0);
});

it('takes a sensitivity that is lowered in the same write as its owner’s word', async () => {
  const own = { ...OWN, public: false, sensitivity: 'confidential' } as const;
  const { id } = await core.semantic.store(ALICE, own);
  const { memory } = await core.semantic.store(ALICE, { ...OWN, public: true, sensitivity: 'internal' });
  expect(memory).toMatchObject({ ...PUBLISHED, id, sensitivity: 'internal' });
  const { memory: other } = await core.add(ALICE, {
    ...PROJECT,
    content: 'Bea earns 1400',
    visibility: 'private',
    sensitivity: 'restricted',
  });
  const changed = await core.update(ALICE, { id: other.id, visibility: 'shared', sensitivity: 'internal' });
  expect(changed.memory).toMatchObject({ visibility: 'shared', sensitivity: 'internal' });
  expect(blocked).toBe(0);
});

it('is no matter where something was shared from the start, or becomes private', async () => {
  const { memory } = await core.semantic.store(ALICE, { ...OWN, public: true, sensitivity: 'confidential' });
  await core.update(ALICE, { id: memory.id, tags: ['pay'] });
  await core.openspec.update(ALICE, { id: memory.id, entry: { accessPolicy: 'private' } });
  expect(await stored()).toMatchObject([{ visibility: 'private', layer: 'user', sensitivity: 'confidential' }]);
  expect(isPublished({ visibility: 'shared', layer: 'user' }, { visibility: 'shared', layer: 'company' })).toBe(true);
  expect(isPublished({ visibility: 'shared', layer: 'company' }, { visibility: 'shared', layer: 'user' })).toBe(false);
  expect(isPublished({ visibility: 'private', layer: 'user' }, { visibility: 'private', layer: 'team' })).toBe(false);
});
