/** Bundles that are broken are refused by line; what goes under other names does so wherever it is named. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkBundle } from '../src/core/bundle/import-bundle.ts';
import type { LaminaError } from '../src/domain/error.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import type { Engine } from '../src/ports/engine.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { chunksOf, exported, imported, refusal } from './bundle-files.ts';
import { laminaOver, TENANTS } from './copy-data.ts';
import { makeTiers } from './copy-tiers.ts';
import { holdingsOf } from './copy-view.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const [TENANT] = TENANTS;

const clock = new ManualClock();
const folders: string[] = [];
const engines: Engine[] = [];

async function emptyEngine(): Promise<Engine> {
  const folder = await makeFolder();
  folders.push(folder);
  const engine = new SqliteEngine({ folder, clock });
  engines.push(engine);
  return engine;
}

let bundle: string;
beforeAll(async () => {
  const source = await emptyEngine();
  const lamina = await laminaOver(source, clock);
  for (const userId of ['alice', 'carol']) {
    const memory = lamina.as({ tenantId: TENANT, userId, agentId: 'helper' });
    const { memory: entry } = await memory.add({ content: `${userId} likes tea`, layer: 'user' });
    await memory.update({ id: entry.id, content: `${userId} likes coffee` });
    await memory.add({ content: 'deploys on Fridays', layer: 'team', identifiers: { teamId: `team of ${userId}` } });
    await memory.add({ content: 'all of us', layer: 'company' });
    await memory.facts.add({ factType: 'home', subject: 'x', predicate: 'in', object: userId });
    await memory.sessions.create({ sessionId: `session of ${userId}`, agentId: 'helper' });
    await memory.plans.create({ planId: `plan of ${userId}`, goalEvent: 'go', sessionId: `session of ${userId}` });
    await memory.shortTerm.write({ sessionId: `session of ${userId}`, key: 'k', value: 1 });
    await memory.search({ query: 'tea', record: true });
    await makeTiers(source, { tenantId: TENANT, userId }, clock);
  }
  await lamina
    .as({ tenantId: TENANT, userId: 'carol', agentId: 'helper' })
    .agentMemory.share({ agentId: 'helper', key: 'k', value: 1, targetUserId: 'alice', ttlSeconds: 9999 });
  const root = lamina.as({ tenantId: TENANT, userId: 'alice', roles: ['admin'] });
  await root.keys.create({ name: 'key', userId: 'alice' });
  await lamina.close();
  bundle = await exported(source, clock, TENANT);
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
  for (const folder of folders) await removeFolder(folder);
});

describe('a broken bundle', () => {
  const lines = (): string[] => bundle.split('\n').slice(0, -1);
  const joined = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
  /** The n-th line of a kind, changed. */
  const changed = (start: string, change: (line: string) => string): { text: string; line: number } => {
    const all = lines();
    const at = all.findIndex((line) => line.startsWith(start));
    return { text: joined(all.with(at, change(all[at] ?? ''))), line: at + 1 };
  };

  const check = (text: string): Promise<LaminaError> => refusal(checkBundle(chunksOf(text)));

  it('is refused by line, and nothing is written', async () => {
    const broken = [
      changed('{"collection":"entries"', (line) => line.slice(0, -5)),
      changed('{"collection":"entries"', (line) => line.replace('"importance":', '"importance":9')),
      changed('{"collection":"entries"', (line) => line.replace('"item":{', '"item":{"unknown":1,')),
      changed('{"collection":"state"', (line) => line.replace('"namespace":"', '"namespace":"x')),
      changed('{"collection":"facts"', (line) => line.replace('"collection":"facts"', '"collection":"plans"')),
      changed('{"end":"versions"', (line) => line.replace(/"count":\d+/, '"count":0')),
      changed('{"end":"versions"', (line) => line.replace(/"sha256":"./, '"sha256":"x')),
      changed('{"end":"bundle"', (line) => line.replace(/[0-9a-f]{64}/, '0'.repeat(64))),
    ];
    for (const { text, line } of broken) {
      const { code, details, message } = await check(text);
      expect({ code, line: details?.['line'] }, message).toEqual({ code: 'VALIDATION_FAILED', line });
    }
    // What was changed within its form shows at the end of its collection.
    const { text } = changed('{"collection":"users"', (line) => line.replace('2026', '2025'));
    expect((await check(text)).message).toMatch(/another checksum than the users/);
  });

  it('is refused where it ends early, or is another thing', async () => {
    expect((await check(joined(lines().slice(0, -1)))).message).toMatch(/not complete/);
    expect((await check(bundle.slice(0, 5000))).message).toMatch(/ends in the middle/);
    expect((await check(`${bundle}{}\n`)).message).toMatch(/behind the end/);
    expect((await check('{"name":"memory"}\n')).message).toMatch(/no bundle of Lamina/);
    expect((await check('')).code).toBe('VALIDATION_FAILED');
    const newer = bundle.replace('"version":1', '"version":2');
    expect((await check(newer)).message).toMatch(/format version 2.*reads up to 1/);
  });

  it('stops a stream where it is wrong, before its end is claimed', async () => {
    const target = await emptyEngine();
    const { text, line } = changed('{"collection":"facts"', (fact) => fact.slice(0, -5));
    const { details } = await refusal(imported(target, clock, text));
    expect(details).toMatchObject({ line, damaged: true });
    expect((await holdingsOf(target.archive))[TENANT]?.['facts']).toEqual([]);
  });
});

describe('under other names', () => {
  const NONE = new Map<never, never>();
  const everything = async (renamings: Parameters<typeof imported>[3]): Promise<Record<string, readonly unknown[]>> => {
    const target = await emptyEngine();
    await imported(target, clock, bundle, renamings);
    return (await holdingsOf(target.archive))[TENANT] ?? {};
  };

  it('a user is another one, wherever they are named', async () => {
    const renamings = { users: new Map([['alice', 'bob']]) };
    const rows = await everything({ renamings });
    // What is left is text of people, and the names of records that a caller chose.
    const left = JSON.stringify(rows, (name, value: unknown) =>
      /^(content|object|lexemes|contentHash|query)$/.test(name) ? undefined : value,
    ).replaceAll(/(plan|session|team|pool|context|snapshot|access) of alice|what the context of alice/g, '');
    expect(left).not.toContain('alice');
    const state = rows['state'] as { namespace: string; key: string }[];
    const namespaces = state.map(({ namespace }) => namespace);
    expect(namespaces).toContain('["session","bob","helper","session of alice"]');
    expect(namespaces).toContain('["persisted","bob","","","receipts"]');
    expect(state.find(({ namespace }) => namespace.startsWith('["inbox","bob"'))?.key).toBe('["carol","helper","k"]');
    const [pool] = rows['pools'] as { access: unknown; members: string[] }[];
    expect(pool).toMatchObject({ access: { read: ['bob', 'nobody yet'] }, members: ['bob', 'nobody yet', 'Ben'] });
    expect(rows['entries']).toContainEqual(
      expect.objectContaining({ partition: expect.objectContaining({ audience: 'bob' }) }),
    );
  });

  it('an id of a layer is another one', async () => {
    const identifiers = new Map([
      ['agentId', new Map([['helper', 'assistant']])],
      ['sessionId', new Map([['session of alice', 's1']])],
      ['teamId', new Map([['team of alice', 'red']])],
    ] as const);
    const rows = await everything({ renamings: { identifiers } });
    const text = JSON.stringify(rows);
    expect(text).not.toMatch(/"(helper|session of alice|team of alice)"/);
    expect(text).toContain('[\\"session\\",\\"alice\\",\\"assistant\\",\\"s1\\"]');
    expect(rows['sessions']).toContainEqual(expect.objectContaining({ sessionId: 's1', agentId: 'assistant' }));
  });

  it('a layer is another one where the identifiers fit, and is refused elsewhere', async () => {
    const rows = await everything({ renamings: { layers: new Map([['team', 'project']] as const) } });
    const entries = rows['entries'] as { entry: { layer: string; identifiers: unknown } }[];
    expect(entries.map(({ entry }) => entry.layer)).not.toContain('team');
    expect(entries.map(({ entry }) => entry.identifiers)).toContainEqual({ projectId: 'team of alice' });
    const refused = refusal(everything({ renamings: { layers: new Map([['user', 'team']] as const) } }));
    expect(await refused).toMatchObject({ code: 'VALIDATION_FAILED', message: expect.stringMatching(/needs teamId/) });
    const none = await everything({ renamings: { users: NONE, identifiers: NONE, layers: NONE } });
    expect(none).toEqual(await everything({}));
  });
});
