/** Formats of others as drafts of memories: what comes of each, and what is told of the rest. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arrayElements } from '../src/cli/import-formats/array-elements.ts';
import { inputsOf, type Destination } from '../src/cli/import-formats/draft-inputs.ts';
import { FORMAT_NAMES } from '../src/cli/import-formats/format-names.ts';
import { formatOf, IMPORT_FORMATS } from '../src/cli/import-formats/formats.ts';
import type { ImportDraft } from '../src/cli/import-formats/import-format.ts';
import { ImportTally } from '../src/cli/import-formats/import-tally.ts';
import { mentionsIn, sectionsOf } from '../src/cli/import-formats/markdown-sections.ts';
import { timeIn } from '../src/cli/import-formats/source-fields.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const FIXTURES = 'test/fixtures/imports';

let folder: string;
beforeAll(async () => {
  folder = await makeFolder();
});
afterAll(() => removeFolder(folder));

interface Read {
  readonly drafts: ImportDraft[];
  readonly tally: ImportTally;
}

async function read(name: string, path: string): Promise<Read> {
  const tally = new ImportTally();
  const format = await formatOf(path, name);
  const drafts: ImportDraft[] = [];
  for await (const draft of format.drafts?.(path, tally) ?? []) drafts.push(draft);
  return { drafts, tally };
}

async function written(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

describe('mem0', () => {
  it('keeps users, agents, times, categories and metadata, and counts what is empty or over', async () => {
    const { drafts, tally } = await read('mem0', `${FIXTURES}/mem0.json`);
    expect(drafts.map(({ id }) => id.at(-1))).toEqual(['1', '2', '3', '4']);
    expect(drafts[0]).toMatchObject({
      content: 'Alex prefers oat milk in coffee ☕',
      userId: 'alex',
      tags: ['food', 'user_preferences', 'drinks'],
      validFrom: '2024-07-01T19:00:00.123Z',
      metadata: { source_app: 'kitchen', mem0: { updated_at: '2024-07-02T09:30:00.000000-07:00' } },
    });
    expect(drafts[1]).toMatchObject({ agentId: 'barista', sessionId: 'run-7', validFrom: '2024-07-03T00:00:00.000Z' });
    expect(drafts[3]).toMatchObject({ isAgents: true, agentId: 'barista' });
    expect(tally.left).toEqual({ 'memories without text': 1, 'memories that have expired': 1, relations: 1 });
    expect(tally.problems).toEqual([]);
  });

  it('tells of broken lines with their number, and goes on', async () => {
    const lines = [
      '{"id":"a","memory":"one"}',
      '{"id":"b","mem',
      '',
      '7',
      '{"memory":"no id"}',
      '{"id":"c","memory":"two"}',
    ];
    const { drafts, tally } = await read('mem0', await written('broken.jsonl', lines.join('\r\n')));
    expect(drafts.map(({ content }) => content)).toEqual(['one', 'two']);
    expect(tally.problems).toEqual([
      { where: 'Line 2', what: 'not JSON' },
      { where: 'Line 4', what: 'not a JSON object' },
      { where: 'Line 5', what: 'has no id' },
    ]);
  });
});

describe('LangGraph', () => {
  it('reads items and rows alike', async () => {
    const items = await read('langgraph', `${FIXTURES}/langgraph.json`);
    const rows = await read('langgraph', `${FIXTURES}/langgraph-rows.jsonl`);
    expect(items.drafts[0]).toMatchObject({
      content: 'data: Prefers green tea\nstrength: 3',
      validFrom: '2025-03-01T10:00:00.000Z',
      metadata: { updated_at: '2025-03-02T10:00:00.000Z' },
    });
    expect(rows.drafts.map(({ externalId }) => externalId)[0]).toBe(items.drafts[0]?.externalId);
    expect(rows.drafts.map(({ id }) => id)).toEqual([
      '["memories","user-1","drink"]',
      '["docs","1"]',
      '["memories","user-2","pet"]',
    ]);
    expect(rows.drafts[0]?.validFrom).toBe('2025-03-01T10:00:00.500Z');
    expect(rows.tally.left).toEqual({ 'items that have expired': 1 });
  });
});

describe('ChatGPT', () => {
  it('follows the branch that is shown, and counts what was not said', async () => {
    const { drafts, tally } = await read('chatgpt', `${FIXTURES}/chatgpt`);
    expect(drafts.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Which tea has least caffeine?'],
      ['assistant', 'Rooibos has none at all.'],
      ['user', '[file: tin.png]\n[image]\nAnd what is in this tin? 🍵'],
      ['assistant', 'Sencha, by the label.'],
      ['user', 'Remind me of the dentist\n[audio]'],
    ]);
    expect(drafts.map(({ turn }) => turn)).toEqual([0, 1, 2, 3, 0]);
    expect(drafts[1]).toMatchObject({
      id: '67a1f3c2-0000-8000-9000-000000000001/a1',
      validFrom: '2025-02-04T11:53:30.750Z',
      sessionId: '67a1f3c2-0000-8000-9000-000000000001',
      metadata: { title: 'Tea', model: 'gpt-4o' },
    });
    // Without a time of its own: that of the conversation.
    expect(drafts[3]?.validFrom).toBe('2025-02-04T11:53:19.000Z');
    expect(tally.left).toEqual({
      'messages on other branches': 1,
      'custom instructions': 1,
      'thoughts of models': 1,
      'tool calls': 1,
      'results of tools': 1,
      images: 1,
      'attached files': 1,
      recordings: 1,
      'conversations without messages': 1,
    });
  });
});

describe('Claude', () => {
  it('takes what was said, by blocks or by text, on the branch that is shown', async () => {
    const { drafts, tally } = await read('claude', `${FIXTURES}/claude/conversations.json`);
    expect(drafts.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'I am moving to Lyon in June.'],
      ['assistant', 'Congratulations! Lyon is lovely in June.'],
      ['user', '[file: lease.txt]\n[file: photo.jpg]\nWhat does this say?'],
      ['user', 'Hello!'],
      ['assistant', 'Hi there! 你好'],
    ]);
    expect(drafts[4]?.validFrom).toBe('2024-01-15T10:30:00.000Z');
    expect(tally.left).toEqual({
      'messages on other branches': 1,
      'thoughts of models': 1,
      'tool calls': 1,
      'results of tools': 1,
      'attached files': 2,
      'texts of attached files': 1,
      'empty messages': 1,
      'conversations without messages': 1,
    });
  });
});

describe('Markdown', () => {
  it('makes a memory of each section, with tags, links and front matter', async () => {
    const { drafts, tally } = await read('markdown', `${FIXTURES}/vault`);
    expect(drafts.map(({ id }) => id)).toEqual([
      'vault/Tea.md',
      'vault/Tea.md#Water',
      'vault/Tea.md#Water~2',
      'vault/people/Ada.md#Ada',
    ]);
    expect(drafts[0]).toMatchObject({
      tags: ['drinks', 'ritual', 'hot/drink'],
      validFrom: '2024-02-03T00:00:00.000Z',
      metadata: { path: 'Tea.md', links: ['people/Ada', 'Kettle'], frontMatter: { aliases: ['Chai'] } },
    });
    expect(drafts[1]?.content).toMatch(/^Tea\n\n## Water\nEighty degrees/);
    expect(drafts[3]?.content).toBe('# Ada\nAda drinks [[Tea]] with milk, since issue #1 was closed.');
    expect(tally.left).toEqual({ 'embedded files': 1, 'notes without text': 1 });
  });

  it('knows code from headings and tags', () => {
    expect(sectionsOf('a\n~~~\n# b\n~~~\n# c\nd\n### e\nf\n# g')).toEqual([
      { headings: [], text: 'a\n~~~\n# b\n~~~' },
      { headings: ['c'], text: '# c\nd' },
      { headings: ['c', 'e'], text: '# c\n### e\nf' },
    ]);
    expect(mentionsIn('`#no` #1 #été-2 a#b ![[a.md]] ![[b.pdf]] [[#here]]')).toEqual({
      links: ['a.md'],
      embedded: ['b.pdf'],
      tags: ['été-2'],
    });
  });
});

describe('all of them', () => {
  it('are told apart, and named on the command line', async () => {
    expect([...IMPORT_FORMATS.map(({ name }) => name), 'auto'].toSorted()).toEqual([...FORMAT_NAMES].toSorted());
    const paths = {
      'mem0.json': 'mem0',
      'langgraph.json': 'langgraph',
      'langgraph-rows.jsonl': 'langgraph',
      'mcp-memory.jsonl': 'mcp-memory',
      chatgpt: 'chatgpt',
      'claude/conversations.json': 'claude',
      vault: 'markdown',
      'vault/Tea.md': 'markdown',
    };
    for (const [path, name] of Object.entries(paths)) {
      expect([path, (await formatOf(`${FIXTURES}/${path}`, 'auto')).name]).toEqual([path, name]);
    }
  });

  it('say what to do with what is none of them', async () => {
    await mkdir(join(folder, 'nothing'));
    await expect(formatOf(join(folder, 'nothing'), 'auto')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(formatOf(join(folder, 'absent'), 'auto')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(formatOf(await written('b.jsonl', '{"format":"lamina-bundle"}'), 'auto')).rejects.toThrow('--from');
    const zip = await written('export.zip', 'PK\u0003\u0004…');
    await expect(read('chatgpt', zip)).rejects.toThrow('unpack it');
  });

  it('never throw for what is not as promised', async () => {
    const odd = [null, 1, 'x', [], {}, { mapping: { a: null, b: { message: { content: 7 } } }, current_node: 'b' }];
    const file = await written('odd.json', JSON.stringify([...odd, { chat_messages: [null, { sender: 'human' }] }]));
    for (const name of ['mem0', 'langgraph', 'chatgpt', 'claude']) {
      const { drafts, tally } = await read(name, file);
      expect([name, drafts]).toEqual([name, []]);
      expect(tally.problemCount).toBeGreaterThan(0);
    }
    const cut = await read('mem0', await written('cut.json', '[{"id":"a","memory":"one"},{"id":"b","mem'));
    expect(cut.drafts).toHaveLength(1);
    expect(cut.tally.problems).toEqual([{ where: 'Item 2', what: 'the file ends in the middle of it' }]);
  });

  it('read times as they are written', () => {
    const times = [
      [1738670000.123, '2025-02-04T11:53:20.123Z'],
      [1738670000123, '2025-02-04T11:53:20.123Z'],
      ['2025-01-02 03:04:05', '2025-01-02T03:04:05.000Z'],
      ['2025-01-02T03:04:05.1', '2025-01-02T03:04:05.100Z'],
      ['2025-01-02 03:04:05+02', '2025-01-02T01:04:05.000Z'],
      ['2025-01-02', '2025-01-02T00:00:00.000Z'],
      [0, undefined],
      ['soon', undefined],
      [null, undefined],
    ];
    for (const [value, time] of times) expect([value, timeIn({ value }, 'value')]).toEqual([value, time]);
  });
});

describe('the list cutter', () => {
  it('gives the elements of any list, in whatever pieces it comes', async () => {
    const pieces = async function* (text: string, size: number): AsyncGenerator<string> {
      for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (list, size, wide) => {
          const found: unknown[] = [];
          for await (const { text, isWhole } of arrayElements(pieces(JSON.stringify(list, null, wide ? 2 : 0), size))) {
            expect(isWhole).toBe(true);
            found.push(JSON.parse(text));
          }
          expect(found).toEqual(JSON.parse(JSON.stringify(list)));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('drafts', () => {
  const destination: Destination = {
    format: 'mem0',
    principal: { userId: 'local' },
    place: undefined,
    isForOne: false,
    users: new Map([['alex', 'alexandra']]),
  };
  const draft = { id: 'x', kind: 'semantic', content: 'tea', metadata: {}, where: 'Item 1' } as const;

  it('are cut where they are too long, and cleaned of what no database keeps', () => {
    const long = inputsOf({ ...draft, content: `${'word '.repeat(10_000)}\0\uD800` }, destination);
    expect(long.map(({ externalId }) => externalId)).toEqual(['mem0:x', 'mem0:x#2']);
    expect(long.every(({ content }) => content.length <= 32_768 && content.isWellFormed())).toBe(true);
    expect(() => inputsOf({ ...draft, content: ' \0' }, destination)).toThrow('no text');
    const [named] = inputsOf(
      { ...draft, id: 'é'.repeat(500), userId: 'alex', tags: ['', 'a'.repeat(200)] },
      destination,
    );
    expect(named?.externalId?.length).toBeLessThan(60);
    expect(named).toMatchObject({ identifiers: { userId: 'alexandra' }, metadata: { importedUser: 'alex' } });
    expect(named?.tags).toEqual(['import:mem0', 'a'.repeat(100)]);
  });

  it('go where the flags say', () => {
    const [input] = inputsOf(
      { ...draft, userId: 'alex', sessionId: 's' },
      { ...destination, isForOne: true, place: { layer: 'project', identifiers: { projectId: 'p' } } },
    );
    expect(input).toMatchObject({ layer: 'project', identifiers: { projectId: 'p', sessionId: 's' } });
    expect(inputsOf(draft, { ...destination, place: { layer: 'company' } })[0]).not.toHaveProperty('identifiers');
  });
});
