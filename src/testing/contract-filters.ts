/** Contract: filters on what is attached to a memory, in searches and in lists alike. */

import assert from 'node:assert/strict';
import type { MetadataFilter } from '../domain/filter.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { Memory } from '../operations/memory.ts';
import { assertSameMembers, listed, nth, recalled } from './contract-assertions.ts';
import { memoryTest, type OpenMemory, type TestRunner } from './contract-subject.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const MODES = ['hybrid', 'keyword', 'semantic'] as const;

/** Every way to ask gives the same answer. */
async function assertFiltered(memory: Memory, filter: MetadataFilter, expected: readonly string[]): Promise<void> {
  const contents = expected.map((name) => `marked ${name}`);
  const about = JSON.stringify(filter);
  for (const mode of MODES) {
    assertSameMembers(await recalled(memory, { query: 'marked', filter, mode }), contents, `${mode} ${about}`);
  }
  assertSameMembers(await listed(memory, { layer: 'user', filter }), contents, `list ${about}`);
  const { totalCount } = await memory.list({ layer: 'user', filter, limit: 1 });
  assert.equal(totalCount, contents.length, `count ${about}`);
}

type Marked = { readonly name: string } & Omit<Parameters<Memory['add']>[0], 'content' | 'layer'>;

async function mark(memory: Memory, entries: readonly Marked[]): Promise<void> {
  await memory.addMany(entries.map(({ name, ...rest }) => ({ ...rest, content: `marked ${name}`, layer: 'user' })));
}

export function filtersContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('filters', () => {
    test('by tags: any of them, each whole', async (subject) => {
      const memory = subject.as(ALICE);
      await mark(memory, [
        { name: 'apple', tags: ['red', 'round'] },
        { name: 'cherry', tags: ['red'] },
        { name: 'plum', tags: ['blue', 'a"b\'c%_'] },
        { name: 'bare' },
      ]);
      await assertFiltered(memory, { tags: ['red'] }, ['apple', 'cherry']);
      await assertFiltered(memory, { tags: ['round', 'blue'] }, ['apple', 'plum']);
      await assertFiltered(memory, { tags: ['re', 'RED', '%', 'red","round'] }, []);
      await assertFiltered(memory, { tags: ['a"b\'c%_'] }, ['plum']);
    });

    test('by source type and by knowledge pointer', async (subject) => {
      const memory = subject.as(ALICE);
      const knowledgePointer = {
        sourceType: 'spec',
        sourceId: 's',
        contentHash: 'h',
        syncedAt: '2026-01-01T00:00:00Z',
      } as const;
      await mark(memory, [
        { name: 'talk', source: { type: 'conversation' } },
        { name: 'tool', source: { type: 'tool_result', reference: 'x' }, knowledgePointer },
        { name: 'bare', metadata: { source: 'conversation' } },
      ]);
      await assertFiltered(memory, { sourceType: 'conversation' }, ['talk']);
      await assertFiltered(memory, { sourceType: 'import' }, []);
      await assertFiltered(memory, { hasKnowledgePointer: true }, ['tool']);
      await assertFiltered(memory, { hasKnowledgePointer: false }, ['talk', 'bare']);
      await assertFiltered(memory, { hasKnowledgePointer: false, sourceType: 'tool_result' }, []);
    });

    test('by metadata: values are equal only with their type', async (subject) => {
      const memory = subject.as(ALICE);
      await mark(memory, [
        { name: 'text', metadata: { value: '1' } },
        { name: 'number', metadata: { value: 1 } },
        { name: 'fraction', metadata: { value: 0.1 } },
        { name: 'huge', metadata: { value: 1e21 } },
        { name: 'yes', metadata: { value: true } },
        { name: 'no', metadata: { value: false } },
        { name: 'zero', metadata: { value: 0 } },
        { name: 'nothing', metadata: { value: null } },
        { name: 'empty', metadata: { value: '' } },
        { name: 'word', metadata: { value: 'true' } },
        { name: 'absent' },
      ]);
      for (const [value, expected] of [
        ['1', ['text']],
        [1, ['number']],
        [0.1, ['fraction']],
        [1e21, ['huge']],
        [true, ['yes']],
        [false, ['no']],
        [0, ['zero']],
        [-0, ['zero']],
        [null, ['nothing']],
        ['', ['empty']],
        ['true', ['word']],
        ['%', []],
        [2, []],
      ] as const) {
        await assertFiltered(memory, { custom: { value } }, expected);
      }
    });

    test('by nested metadata, whatever the order of its keys', async (subject) => {
      const memory = subject.as(ALICE);
      await mark(memory, [
        { name: 'object', metadata: { value: { b: [1, { y: 'é"\n', x: null }], a: 1 } } },
        { name: 'list', metadata: { value: [1, 2] } },
        { name: 'reversed', metadata: { value: [2, 1] } },
        { name: 'hollow', metadata: { value: {} } },
        { name: 'json', metadata: { value: '[1,2]' } },
      ]);
      await assertFiltered(memory, { custom: { value: { a: 1, b: [1, { x: null, y: 'é"\n' }] } } }, ['object']);
      await assertFiltered(memory, { custom: { value: { a: 1 } } }, []);
      await assertFiltered(memory, { custom: { value: [1, 2] } }, ['list']);
      await assertFiltered(memory, { custom: { value: '[1,2]' } }, ['json']);
      await assertFiltered(memory, { custom: { value: {} } }, ['hollow']);
      await assertFiltered(memory, { custom: { value: [] } }, []);
    });

    test('by keys that look like paths, quotes or syntax', async (subject) => {
      const memory = subject.as(ALICE);
      const keys = [
        'a.b',
        'a',
        '$.a',
        "it's",
        'say "hi"',
        'back\\slash',
        'new\nline',
        'a[0]',
        '*',
        '%',
        'ключ',
        '0',
        '',
      ];
      await mark(
        memory,
        keys.map((key, index) => ({ name: `key${index}`, metadata: { [key]: 'here' } })),
      );
      for (const [index, key] of keys.entries()) {
        await assertFiltered(memory, { custom: { [key]: 'here' } }, [`key${index}`]);
      }
      await assertFiltered(memory, { custom: { A: 'here' } }, []);
    });

    test('hold all together, and an empty filter holds for everything', async (subject) => {
      const memory = subject.as(ALICE);
      await mark(memory, [
        { name: 'both', tags: ['t'], metadata: { k: 1, l: 2 } },
        { name: 'tag', tags: ['t'], metadata: { k: 2 } },
        { name: 'key', metadata: { k: 1 } },
      ]);
      await assertFiltered(memory, { tags: ['t'], custom: { k: 1 } }, ['both']);
      await assertFiltered(memory, { custom: { k: 1, l: 2 } }, ['both']);
      await assertFiltered(memory, {}, ['both', 'tag', 'key']);
      await assertFiltered(memory, { custom: {} }, ['both', 'tag', 'key']);
      await assertFiltered(memory, { custom: { k: 1, absent: undefined } }, ['both', 'key']);
    });

    test('never starve a search: one among five hundred better matches is found', async (subject) => {
      const memory = subject.as(ALICE);
      await memory.addMany(
        Array.from({ length: 500 }, (_, n) => ({ content: `needle needle needle ${n}`, layer: 'user', tags: ['hay'] })),
      );
      const content = 'a needle among quite a few other things that nobody asked about at all';
      await memory.add({ content, layer: 'user', tags: ['wanted'], metadata: { rare: true }, importance: 0 });
      for (const filter of [{ tags: ['wanted'] }, { custom: { rare: true } }]) {
        for (const mode of MODES) {
          const { results } = await memory.search({ query: 'needle', filter, mode, limit: 1, threshold: 0 });
          assert.equal(nth(results).memory.content, content);
        }
      }
    });
  });
}
