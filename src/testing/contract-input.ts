/** Contract: bad input gets the right code and a message that helps, and changes nothing. */

import assert from 'node:assert/strict';
import type { ErrorCode, LaminaError } from '../domain/error.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { EntryMemory } from '../operations/memory.ts';
import { failure, listed } from './contract-assertions.ts';
import { memoryTest, type MemorySubject, type OpenMemory, type TestRunner } from './contract-subject.ts';

const ALICE: PrincipalInput = { userId: 'alice' };
const KNOWN = 'What was there before';

/** Calls as a program without types would make them. */
type Untyped = { readonly [name in keyof EntryMemory]: (input: unknown) => Promise<unknown> };

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

const add = { content: 'Fine', layer: 'user' };

interface Misuse {
  readonly name: string;
  readonly code: ErrorCode;
  /** What the message must speak of. */
  readonly about: RegExp;
  readonly call: (memory: Untyped, id: string) => Promise<unknown>;
}

const row = (name: string, code: ErrorCode, about: RegExp, call: Misuse['call']): Misuse => ({
  name,
  code,
  about,
  call,
});

/** The rows of text that no field may hold. */
function textRows(what: string, text: string, about: RegExp): Misuse[] {
  return [
    row(`${what} in the content`, 'VALIDATION_FAILED', about, (m) => m.add({ ...add, content: `a${text}b` })),
    row(`${what} in metadata`, 'VALIDATION_FAILED', about, (m) => m.add({ ...add, metadata: { deep: [{ x: text }] } })),
    row(`${what} in a key of metadata`, 'VALIDATION_FAILED', about, (m) => m.add({ ...add, metadata: { [text]: 1 } })),
    row(`${what} in an identifier`, 'VALIDATION_FAILED', about, (m) =>
      m.add({ content: 'Fine', layer: 'project', identifiers: { projectId: `p${text}` } }),
    ),
    row(`${what} in a tag`, 'VALIDATION_FAILED', about, (m) => m.add({ ...add, tags: [text] })),
    row(`${what} in a query`, 'VALIDATION_FAILED', about, (m) => m.search({ query: `a${text}` })),
    row(`${what} in a filter`, 'VALIDATION_FAILED', about, (m) =>
      m.list({ layer: 'user', filter: { custom: { a: text } } }),
    ),
    row(`${what} in an update`, 'VALIDATION_FAILED', about, (m, id) => m.update({ id, content: text })),
  ];
}

const MISUSES: readonly Misuse[] = [
  row('an unknown layer to write', 'INVALID_LAYER', /agent, user, session/, (m) => m.add({ ...add, layer: 'galaxy' })),
  row('an unknown layer to search', 'INVALID_LAYER', /layers/, (m) =>
    m.search({ query: 'q', layers: ['user', 'USER'] }),
  ),
  row('an unknown layer to list', 'INVALID_LAYER', /layer/, (m) => m.list({ layer: '' })),
  row('an unknown layer to forget', 'INVALID_LAYER', /layer/, (m) => m.forget({ layer: 'all' })),
  row('an unknown layer in a batch', 'INVALID_LAYER', /layer/, (m) => m.addMany([add, { ...add, layer: 'x' }])),
  row('a missing layer', 'VALIDATION_FAILED', /layer/, (m) => m.add({ content: 'Fine' })),
  row('a missing identifier', 'MISSING_IDENTIFIER', /projectId/, (m) => m.add({ ...add, layer: 'project' })),
  row('an empty identifier', 'VALIDATION_FAILED', /userId/, (m) => m.add({ ...add, identifiers: { userId: '' } })),
  row('an over-long identifier', 'VALIDATION_FAILED', /userId/, (m) =>
    m.add({ ...add, identifiers: { userId: 'u'.repeat(101) } }),
  ),
  row('an unknown identifier', 'VALIDATION_FAILED', /galaxyId/, (m) =>
    m.add({ ...add, identifiers: { userId: 'alice', galaxyId: 'g' } }),
  ),
  row('empty content', 'VALIDATION_FAILED', /content/, (m) => m.add({ ...add, content: '' })),
  row('content that shows nothing', 'VALIDATION_FAILED', /content/, (m) => m.add({ ...add, content: '\u200b\ufe0f ' })),
  row('content of white space', 'VALIDATION_FAILED', /content/, (m) => m.add({ ...add, content: ' \n\t\u00a0' })),
  row('missing content', 'VALIDATION_FAILED', /content/, (m) => m.add({ layer: 'user' })),
  row('over-long content', 'CONTENT_TOO_LONG', /32768/, (m) => m.add({ ...add, content: 'x'.repeat(32_769) })),
  row('an update to empty content', 'VALIDATION_FAILED', /content/, (m, id) => m.update({ id, content: ' ' })),
  row('an update to over-long content', 'CONTENT_TOO_LONG', /32768/, (m, id) =>
    m.update({ id, content: 'x'.repeat(32_769) }),
  ),
  row('an empty query', 'VALIDATION_FAILED', /query/, (m) => m.search({ query: '' })),
  row('a query of white space', 'VALIDATION_FAILED', /query/, (m) => m.search({ query: ' \n ' })),
  row('an over-long query', 'QUERY_TOO_LONG', /8192/, (m) => m.search({ query: 'x'.repeat(8193) })),
  row('too much metadata', 'LIMIT_EXCEEDED', /65536/, (m) => m.add({ ...add, metadata: { x: 'é'.repeat(40_000) } })),
  row('too many in a batch', 'LIMIT_EXCEEDED', /1000/, (m) => m.addMany(Array.from({ length: 1001 }, () => add))),
  row('a batch that is no list', 'VALIDATION_FAILED', /addMany takes a list/, (m) => m.addMany({ memories: [] })),
  row('an empty batch', 'VALIDATION_FAILED', /memories/, (m) => m.addMany([])),
  row('too many ids to forget', 'LIMIT_EXCEEDED', /1000/, (m) =>
    m.forget({ ids: Array.from({ length: 1001 }, () => crypto.randomUUID()) }),
  ),
  row('too many tags', 'VALIDATION_FAILED', /tags/, (m) =>
    m.add({ ...add, tags: Array.from({ length: 101 }, String) }),
  ),
  row('content of the wrong type', 'VALIDATION_FAILED', /content/, (m) => m.add({ ...add, content: 7 })),
  row('metadata of the wrong type', 'VALIDATION_FAILED', /metadata/, (m) => m.add({ ...add, metadata: [1] })),
  row('tags of the wrong type', 'VALIDATION_FAILED', /tags/, (m) => m.add({ ...add, tags: 'one' })),
  row('importance out of range', 'VALIDATION_FAILED', /importance/, (m) => m.add({ ...add, importance: 1.01 })),
  row('a kind that is none', 'VALIDATION_FAILED', /kind/, (m) => m.add({ ...add, kind: 'working' })),
  row('a time that is none', 'VALIDATION_FAILED', /expiresAt/, (m) => m.add({ ...add, expiresAt: 'tomorrow' })),
  row('a day that is none', 'VALIDATION_FAILED', /validFrom/, (m) =>
    m.add({ ...add, validFrom: '2026-02-30T00:00:00Z' }),
  ),
  row('a span that ends before it begins', 'VALIDATION_FAILED', /validTo/, (m) =>
    m.add({ ...add, validFrom: '2026-01-02T00:00:00Z', validTo: '2026-01-01T00:00:00Z' }),
  ),
  row('a negative limit to search', 'VALIDATION_FAILED', /limit/, (m) => m.search({ query: 'q', limit: -1 })),
  row('a limit of zero', 'VALIDATION_FAILED', /limit/, (m) => m.search({ query: 'q', limit: 0 })),
  row('a limit that is too large', 'VALIDATION_FAILED', /limit/, (m) => m.search({ query: 'q', limit: 101 })),
  row('a threshold out of range', 'VALIDATION_FAILED', /threshold/, (m) => m.search({ query: 'q', threshold: 1.5 })),
  row('a mode that is none', 'VALIDATION_FAILED', /mode/, (m) => m.search({ query: 'q', mode: 'fuzzy' })),
  row('no layers at all', 'VALIDATION_FAILED', /layers/, (m) => m.search({ query: 'q', layers: [] })),
  row('a negative limit to list', 'VALIDATION_FAILED', /limit/, (m) => m.list({ layer: 'user', limit: -5 })),
  row('a broken cursor', 'VALIDATION_FAILED', /cursor/, (m) => m.list({ layer: 'user', cursor: 'nonsense' })),
  row('an id that is none', 'VALIDATION_FAILED', /id/, (m) => m.get({ id: 'seven' })),
  row('an id with more behind it', 'VALIDATION_FAILED', /id/, (m, id) => m.delete({ id: `${id}' OR '1'='1` })),
  row('an id to forget that is none', 'VALIDATION_FAILED', /ids/, (m) => m.forget({ ids: ['*'] })),
  row('an expected version of zero', 'VALIDATION_FAILED', /expectedVersion/, (m, id) =>
    m.update({ id, content: 'x', expectedVersion: 0 }),
  ),
  row('an unknown field to write', 'VALIDATION_FAILED', /colour/, (m) => m.add({ ...add, colour: 'red' })),
  row('an unknown field to search', 'VALIDATION_FAILED', /colour/, (m) => m.search({ query: 'q', colour: 'red' })),
  row('an unknown field to list', 'VALIDATION_FAILED', /colour/, (m) => m.list({ layer: 'user', colour: 'red' })),
  row('an unknown field in a filter', 'VALIDATION_FAILED', /tagz/, (m) =>
    m.search({ query: 'q', filter: { tagz: ['a'] } }),
  ),
  row('a field that is not for callers', 'VALIDATION_FAILED', /ownerId/, (m, id) => m.update({ id, ownerId: 'bob' })),
  row('a layer in an update', 'VALIDATION_FAILED', /layer/, (m, id) => m.update({ id, layer: 'company' })),
  row('nothing to forget', 'VALIDATION_FAILED', /what to forget/, (m) => m.forget({})),
  row('deep JSON', 'VALIDATION_FAILED', /deep/, (m) => m.add({ ...add, metadata: { x: nested(40) } })),
  row('very deep JSON', 'VALIDATION_FAILED', /deep/, (m) => m.add({ ...add, metadata: { x: nested(5000) } })),
  row('a deep filter', 'VALIDATION_FAILED', /deep/, (m) =>
    m.search({ query: 'q', filter: { custom: { x: nested(40) } } }),
  ),
  row('a reserved key', 'VALIDATION_FAILED', /__proto__/, (m) =>
    m.add({ ...add, metadata: JSON.parse('{"__proto__": {"polluted": true}}') as unknown }),
  ),
  row('a number that is not finite', 'VALIDATION_FAILED', /finite|null/, (m) =>
    m.add({ ...add, importance: Number.NaN }),
  ),
  row('null for a field', 'VALIDATION_FAILED', /content/, (m) => m.add({ ...add, content: null })),
  ...textRows('a NUL character', '\0', /NUL/),
  ...textRows('a lone surrogate', '\ud800', /surrogate/),
];

async function withKnown(subject: MemorySubject): Promise<{ memory: Untyped; id: string; texts: number }> {
  const { id } = (await subject.as(ALICE).add({ content: KNOWN, layer: 'user' })).memory;
  return { memory: subject.as(ALICE) as unknown as Untyped, id, texts: subject.embedder.texts };
}

/** A program reads them, whatever it was that did not fit. */
function assertProblems({ details }: LaminaError, name: string): void {
  const problems = details?.['problems'] as
    | readonly { readonly path: unknown; readonly message: unknown }[]
    | undefined;
  assert.ok(problems !== undefined && problems.length > 0, `${name}: no problems`);
  for (const { path, message } of problems) {
    assert.equal(typeof path, 'string', name);
    assert.match(String(message), /^[^.].*[^.]$/, name);
  }
}

export function inputContract(runner: TestRunner, open: OpenMemory): void {
  const test = memoryTest(runner, open);
  runner.describe('bad input', () => {
    test('has the right code, a message that helps, and changes nothing', async (subject) => {
      const { memory, id, texts } = await withKnown(subject);
      const before = await subject.as(ALICE).get({ id });
      for (const { name, code, about, call } of MISUSES) {
        const error = await failure(code, call(memory, id)).catch((reason: unknown) => {
          throw new Error(`${name}: ${String(reason)}`, { cause: reason });
        });
        assert.match(error.message, about, name);
        if (code === 'VALIDATION_FAILED') assertProblems(error, name);
      }
      assert.deepEqual(await listed(subject.as(ALICE), { layer: 'user' }), [KNOWN]);
      assert.equal(subject.embedder.texts, texts, 'something was embedded');
      const after = (await subject.as(ALICE).get({ id })).memory;
      assert.deepEqual([after?.version, after?.content], [before.memory?.version, before.memory?.content]);
    });

    test('in one of a batch names that one and stores none', async (subject) => {
      const { memory, texts } = await withKnown(subject);
      for (const bad of [
        { ...add, content: ' ' },
        { ...add, content: 'x'.repeat(40_000) },
        { ...add, tags: 5 },
      ]) {
        const error = await memory.addMany([add, bad, add]).then(
          () => assert.fail('it was taken'),
          (reason: unknown) => reason as Error,
        );
        assert.match(error.message, /memories\.1/);
      }
      assert.deepEqual(await listed(subject.as(ALICE), { layer: 'user' }), [KNOWN]);
      assert.equal(subject.embedder.texts, texts);
    });

    test('limits are in the details, and what just fits is taken', async (subject) => {
      const { memory } = await withKnown(subject);
      const tooLong = await failure('CONTENT_TOO_LONG', memory.add({ ...add, content: 'é'.repeat(32_770) }));
      assert.deepEqual(tooLong.details, { limit: 32_768, actual: 32_770 });
      const tooLongQuery = await failure('QUERY_TOO_LONG', memory.search({ query: 'q'.repeat(9000) }));
      assert.deepEqual(tooLongQuery.details, { limit: 8192, actual: 9000 });
      await memory.add({ ...add, content: 'x'.repeat(32_768) });
      // A character is what Unicode calls a code point, not what JavaScript or UTF-8 needs to write it.
      await memory.add({ ...add, content: '🦊'.repeat(32_768) });
      await failure('CONTENT_TOO_LONG', memory.add({ ...add, content: '🦊'.repeat(32_769) }));
      await memory.search({ query: '🦊'.repeat(8192) });
      await failure('QUERY_TOO_LONG', memory.search({ query: '🦊'.repeat(8193) }));
      await memory.add({ ...add, content: 'Much metadata', metadata: { x: 'm'.repeat(65_536 - 8) } });
      await memory.add({ ...add, content: 'Deep metadata', metadata: { x: nested(28) } });
      await memory.add({ ...add, content: 'Long names', identifiers: { userId: 'alice', projectId: 'p'.repeat(100) } });
    });

    test('a field that is absent is missing, whatever it would hold', async (subject) => {
      const memory = subject.as(ALICE);
      const missing = async (call: Promise<unknown>): Promise<unknown> =>
        (await failure('VALIDATION_FAILED', call)).details?.['problems'];
      assert.deepEqual(await missing(memory.add({ layer: 'user' } as never)), [
        { path: 'content', message: 'is missing' },
      ]);
      assert.deepEqual(await missing(memory.add({ content: 'Fine' } as never)), [
        { path: 'layer', message: 'is missing; accepted are: agent, user, session, project, team, org, company' },
      ]);
      assert.deepEqual(await missing(memory.working.set({ planId: 'p', key: 'k' } as never)), [
        { path: 'value', message: 'is missing' },
      ]);
      assert.deepEqual(await missing(memory.facts.add({ subject: 's', predicate: 'p', factType: 'uses' } as never)), [
        { path: 'object', message: 'is missing' },
      ]);
      // Over HTTP it is in the path, without which nothing can be asked.
      assert.deepEqual(await missing(memory.items.store({} as never)), [
        { path: 'agentId', message: 'is missing' },
        { path: 'items', message: 'is missing' },
      ]);
      const { message } = await failure('VALIDATION_FAILED', memory.update({ importance: 2 } as never));
      assert.match(message, /id: is missing; importance: /);
    });

    test('principals that are none are refused', async (subject) => {
      const principals: unknown[] = [
        { userId: '' },
        { userId: 'u'.repeat(101) },
        { userId: 'u', tenantId: 'acme' },
        { userId: 'u', roles: ['root'] },
      ];
      for (const principal of principals) {
        const call = async (): Promise<unknown> => subject.as(principal as PrincipalInput).list({ layer: 'user' });
        assertProblems(await failure('VALIDATION_FAILED', call()), JSON.stringify(principal));
      }
    });
  });
}
