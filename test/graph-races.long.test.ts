/** Several who change one knowledge graph at the same time: in processes of their own, at once, and one in between. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Memory } from '../src/operations/memory.ts';
import type { GraphOutput } from '../src/tools/graph-schemas.ts';
import type { ToolContext } from '../src/tools/memory-tool.ts';
import { ADA, call, ENGINE, expectOneOfMany, output } from './graph-caller.ts';
import { openLamina, untilTestEnds, type OpenLamina } from './running-lamina.ts';

const WRITER = fileURLToPath(new URL('graph-writer.ts', import.meta.url));

let opened: OpenLamina;
let users = 0;

beforeAll(async () => {
  opened = await openLamina();
});

afterAll(() => opened.close());

/** Memory of a user whom nobody knew before. */
function newMemory(): Memory {
  users += 1;
  return opened.lamina.as({ userId: `user ${users}` });
}

describe('many at the same time', () => {
  it('two processes lose no observation, and make one entity', { timeout: 60_000 }, async () => {
    const { folder, lamina } = untilTestEnds(await openLamina());
    const each = 25;
    const writers = ['one', 'two'].map((name) => {
      const child = spawn(process.execPath, [WRITER, folder, 'Ada', name, String(each)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
    });
    for (const { lines } of writers) expect((await lines.next()).value).toBe('ready');
    for (const { child } of writers) child.stdin.write('go\n');
    const said = await Promise.all(
      writers.map(async ({ child, lines }) => {
        const { value } = await lines.next();
        if (child.exitCode === null) await once(child, 'exit');
        return String(value);
      }),
    );
    expect(said.toSorted()).toEqual(['created 0', 'created 1']);
    const { entities } = await output({ memory: lamina.as({ userId: 'writer' }) }, 'read_graph');
    const wanted = ['one', 'two'].flatMap((name) => Array.from({ length: each }, (_, n) => `${name} ${n + 1}`));
    expect(entities.map(({ observations }) => observations.toSorted())).toEqual([wanted.toSorted()]);
  });

  it('an entity that is created by many is there once, as one of them made it', async () => {
    await expectOneOfMany({ memory: newMemory() });
  });

  it('whoever creates, adds and deletes at once leaves nothing without its entity', { timeout: 60_000 }, async () => {
    const memory = newMemory();
    const context = { memory };
    for (let round = 0; round < 15; round += 1) {
      const entities = [{ ...ADA, entityType: `type ${round % 3}` }];
      const observations = [{ entityName: 'Ada', contents: [`Round ${round}`, 'Always'] }];
      await Promise.all([
        output(context, 'create_entities', { entities }),
        call(context, 'add_observations', { observations }),
        output(context, 'delete_entities', { entityNames: ['Ada'] }),
        output(context, 'create_entities', { entities: [{ ...ADA, entityType: 'late' }] }),
        call(context, 'add_observations', { observations }),
      ]);
      const { entities: there } = await output(context, 'read_graph');
      const { memories } = await memory.list({ layer: 'user', limit: 100 });
      expect(there.length).toBeLessThanOrEqual(1);
      expect(memories.map(({ content }) => content.replace('Ada: ', '')).toSorted()).toEqual(
        there.flatMap((each) => each.observations).toSorted(),
      );
      // None is without what it was created with.
      for (const { observations: all } of there) expect(all).toEqual(expect.arrayContaining(ADA.observations));
    }
  });
});

describe('somebody in between', () => {
  /** Memory in which something else is done right before the observations are written. */
  function interrupted(memory: Memory, before: () => Promise<unknown>): Memory {
    const addMany: Memory['addMany'] = async (inputs) => {
      await before();
      return memory.addMany(inputs);
    };
    return { ...memory, addMany };
  }

  it('who creates the same entity meanwhile has created it, and nothing is left of the other one', async () => {
    const memory = newMemory();
    const create = (mine: ToolContext, entityType: string): Promise<GraphOutput> =>
      output(mine, 'create_entities', { entities: [{ ...ADA, entityType, observations: [`I am a ${entityType}`] }] });
    const late = interrupted(memory, () => create({ memory }, 'countess'));
    expect(await create({ memory: late }, 'person')).toEqual({ entities: [] });
    expect((await output({ memory }, 'read_graph')).entities).toEqual([
      { ...ADA, entityType: 'countess', observations: ['I am a countess'] },
    ]);
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(1);
    expect((await memory.facts.list({ subject: 'Ada' })).count).toBe(1);
  });

  it('who deletes an entity meanwhile leaves nothing of what is added to it', async () => {
    const memory = newMemory();
    await output({ memory }, 'create_entities', { entities: [ADA, ENGINE] });
    const late = interrupted(memory, () => output({ memory }, 'delete_entities', { entityNames: ['Ada'] }));
    const observations = ['Ada', ENGINE.name].map((entityName) => ({ entityName, contents: ['Too late'] }));
    const answer = await call({ memory: late }, 'add_observations', { observations });
    expect(answer).toEqual({ failure: 'Entity with name Ada not found' });
    expect((await output({ memory }, 'read_graph')).entities).toEqual([ENGINE]);
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(1);
  });

  it('who deletes and creates it anew meanwhile keeps what is new', async () => {
    const memory = newMemory();
    await output({ memory }, 'create_entities', { entities: [ADA] });
    const recreate = async (): Promise<void> => {
      await output({ memory }, 'delete_entities', { entityNames: ['Ada'] });
      await output({ memory }, 'create_entities', { entities: [{ ...ADA, observations: ['New'] }] });
    };
    const late = interrupted(memory, recreate);
    const observations = [{ entityName: 'Ada', contents: ['For the old one'] }];
    expect(await call({ memory: late }, 'add_observations', { observations })).toHaveProperty('failure');
    expect((await output({ memory }, 'read_graph')).entities).toEqual([{ ...ADA, observations: ['New'] }]);
  });

  it('where the facts cannot be written, nothing is left of the observations', async () => {
    const memory = newMemory();
    const facts = { ...memory.facts, addMany: () => Promise.reject(new Error('The database is gone.')) };
    const failing = await call({ memory: { ...memory, facts } }, 'create_entities', { entities: [ADA] });
    expect(failing).toEqual({ failure: 'The database is gone.' });
    expect((await memory.list({ layer: 'user' })).totalCount).toBe(0);
  });
});
