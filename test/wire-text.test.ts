/** Answers are written as JSON in one go: what comes out is what `JSON.stringify` makes of the renamed copy. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileMapper } from '../src/operations/wire-mapper.ts';

const { encode, encodeText } = compileMapper({
  type: 'object',
  properties: {
    userId: { type: 'string' },
    createdAt: { type: 'string' },
    freeForm: { type: 'object', additionalProperties: true },
    innerParts: {
      type: 'array',
      items: { type: 'object', properties: { partName: { type: 'string' }, atTime: { type: 'number' } } },
    },
    byName: { type: 'object', additionalProperties: { type: 'object', properties: { lastSeen: { type: 'string' } } } },
  },
});

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii', minLength: 60, maxLength: 90 }));
const part = fc.record({ partName: text, atTime: fc.double(), other: fc.jsonValue() }, { requiredKeys: [] });
const output = fc.record(
  {
    userId: text,
    createdAt: fc.option(text),
    freeForm: fc.dictionary(text, fc.jsonValue()),
    innerParts: fc.array(fc.oneof(part, fc.constant(undefined), fc.constant(null))),
    byName: fc.dictionary(text, fc.record({ lastSeen: text }, { requiredKeys: [] })),
    unknownField: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

describe('an answer as text', () => {
  it('is the renamed copy as JSON, whatever it holds', () => {
    fc.assert(
      fc.property(output, (value) => {
        expect(encodeText(value)).toBe(JSON.stringify(encode(value)));
      }),
    );
  });

  it.each([
    ['a quote and a backslash', 'say "hi" \\ bye'],
    ['half of a character', 'broken \ud83d'],
    ['a whole one', 'a smile 😀'],
    ['a line break, late in a long text', `${'x'.repeat(100)}\n`],
    ['half of a character, late in a long text', `${'é'.repeat(100)}\udc00`],
    ['nothing', ''],
  ])('escapes %s as JSON.stringify does', (_, said) => {
    expect(encodeText({ userId: said })).toBe(JSON.stringify({ user_id: said }));
  });

  it('leaves out what is undefined, and knows no numbers that JSON has not', () => {
    const value = { userId: undefined, innerParts: [{ atTime: Number.NaN }, { atTime: -0 }], freeForm: {} };
    expect(encodeText(value)).toBe('{"inner_parts":[{"at_time":null},{"at_time":0}],"free_form":{}}');
  });
});
