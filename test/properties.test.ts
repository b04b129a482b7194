/** Properties of the pure parts: what must hold for every input, not only for those that came to mind. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bookmarkOf, cursorAfter } from '../src/core/paging/cursor.ts';
import { bm25, type Bm25 } from '../src/core/recall/bm25.ts';
import { aboveChance, scoreOf, WEIGHTS } from '../src/core/recall/score.ts';
import { contentHash } from '../src/core/remember/content.ts';
import { lexemesOf, queryTerms } from '../src/core/text/lexemes.ts';
import { decayedRelevance, recency } from '../src/domain/decay.ts';
import { LaminaError } from '../src/domain/error.ts';
import { assertJson, canonicalJson, MAX_JSON_DEPTH } from '../src/domain/json.ts';

const DAY = 86_400_000;
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const age = fc.double({ min: -10 * DAY, max: 10_000 * DAY, noNaN: true });

/** What a function throws, which must be ours. */
function codeThrownBy(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(LaminaError);
    return (error as LaminaError).code;
  }
}

describe('decay', () => {
  it('stays between nothing and where it began', () => {
    fc.assert(
      fc.property(unit, unit, unit, age, (initial, rate, factor, ms) => {
        const left = decayedRelevance(initial, rate, factor, ms);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left).toBeLessThanOrEqual(initial);
        if (ms <= 0) expect(left).toBe(initial);
      }),
    );
  });

  it('never grows with time, rate or factor', () => {
    fc.assert(
      fc.property(unit, unit, unit, age, unit, (initial, rate, factor, ms, more) => {
        const left = decayedRelevance(initial, rate, factor, ms);
        expect(decayedRelevance(initial, rate, factor, ms + more * 100 * DAY)).toBeLessThanOrEqual(left);
        expect(decayedRelevance(initial, rate + (1 - rate) * more, factor, ms)).toBeLessThanOrEqual(left);
        expect(decayedRelevance(initial, rate, factor + (1 - factor) * more, ms)).toBeLessThanOrEqual(left);
      }),
    );
  });

  it('may be applied in steps', () => {
    const days = fc.integer({ min: 0, max: 1000 });
    fc.assert(
      fc.property(unit, unit, days, days, (initial, rate, first, second) => {
        const inSteps = decayedRelevance(decayedRelevance(initial, rate, 1, first * DAY), rate, 1, second * DAY);
        expect(inSteps).toBeCloseTo(decayedRelevance(initial, rate, 1, (first + second) * DAY), 9);
      }),
    );
  });

  it('of recency halves with each half-life', () => {
    const halfLife = fc.double({ min: 0.1, max: 1000, noNaN: true });
    fc.assert(
      fc.property(age, halfLife, unit, (ms, days, more) => {
        const now = recency(ms, days);
        expect(now).toBeGreaterThanOrEqual(0);
        expect(now).toBeLessThanOrEqual(1);
        expect(recency(ms + more * DAY, days)).toBeLessThanOrEqual(now);
        if (ms >= 0) expect(recency(ms + days * DAY, days)).toBeCloseTo(now / 2, 9);
      }),
    );
  });
});

describe('scores', () => {
  it('are between 0 and 1 and grow with every signal', () => {
    const signals = fc.record({ text: unit, vector: unit, recency: unit, importance: unit, confidence: unit });
    const name = fc.constantFrom('text', 'vector', 'recency', 'importance', 'confidence');
    fc.assert(
      fc.property(
        signals,
        name,
        unit,
        fc.constantFrom('hybrid', 'keyword', 'semantic'),
        (given, signal, more, mode) => {
          const score = scoreOf(given, WEIGHTS[mode]);
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThan(1);
          const raised = { ...given, [signal]: given[signal] + (1 - given[signal]) * more };
          expect(scoreOf(raised, WEIGHTS[mode])).toBeGreaterThanOrEqual(score);
        },
      ),
    );
  });

  it('take similarity for chance up to the mean, and for more beyond it', () => {
    const cosine = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(cosine, cosine, unit, fc.double({ min: 0.001, max: 1, noNaN: true }), (a, b, mean, deviation) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((each) => aboveChance(each, { mean, deviation }));
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(high).toBeGreaterThanOrEqual(low ?? Number.NaN);
        if (Math.max(a, b) <= mean) expect(high).toBe(0);
      }),
    );
  });
});

describe('BM25', () => {
  const terms = ['a', 'b', 'c', 'd'];
  const lexemes = fc.array(fc.constantFrom(...terms, 'x', 'y', 'z'), { maxLength: 30 });
  const statistics = fc
    .record({
      documents: fc.integer({ min: 1, max: 10_000 }),
      averageLength: fc.double({ min: 0, max: 100, noNaN: true }),
      shares: fc.tuple(unit, unit, unit, unit),
    })
    .map(({ documents, averageLength, shares }) => ({
      documents,
      averageLength,
      episodes: 0,
      documentFrequencies: shares.map((share) => Math.floor(share * documents)),
    }));

  /** How much of the query a text covers. */
  function coverageOf({ terms: asked, coverage }: Bm25, text: readonly string[]): number {
    const frequencies = asked.map(({ lexeme }) => text.filter((word) => word === lexeme).length);
    return coverage(text.length, frequencies);
  }

  it('asks for what there is, the rarest first', () => {
    fc.assert(
      fc.property(statistics, fc.integer({ min: 1, max: 5 }), (given, maxTerms) => {
        const asked = bm25(terms, given, maxTerms).terms;
        const frequencyOf = (term: string): number => given.documentFrequencies[terms.indexOf(term)] ?? Number.NaN;
        const present = terms
          .filter((term) => frequencyOf(term) > 0)
          .toSorted((a, b) => frequencyOf(a) - frequencyOf(b));
        expect(asked.map(({ lexeme }) => lexeme)).toEqual(present.slice(0, maxTerms));
        for (const [index, { weight }] of asked.entries()) {
          expect(weight).toBeGreaterThan(0);
          expect(weight).toBeLessThanOrEqual(asked[index - 1]?.weight ?? Infinity);
        }
      }),
    );
  });

  it('covers between nothing and everything of a query', () => {
    fc.assert(
      fc.property(lexemes, statistics, fc.integer({ min: 1, max: 5 }), (text, given, maxTerms) => {
        const score = bm25(terms, given, maxTerms);
        const coverage = coverageOf(score, text);
        expect(coverage).toBeGreaterThanOrEqual(0);
        expect(coverage).toBeLessThanOrEqual(1);
        expect(coverage > 0).toBe(score.terms.some(({ lexeme }) => text.includes(lexeme)));
      }),
    );
  });

  it('covers more with every word that is matched', () => {
    fc.assert(
      fc.property(lexemes, statistics, fc.nat(), fc.nat(), (text, given, at, which) => {
        const score = bm25(terms, given, 4);
        const misses = [...text.keys()].filter((index) => !terms.includes(text[index] ?? ''));
        fc.pre(misses.length > 0 && score.terms.length > 0);
        const term = score.terms[which % score.terms.length]?.lexeme ?? '';
        const better = text.with(misses[at % misses.length] ?? 0, term);
        expect(coverageOf(score, better)).toBeGreaterThan(coverageOf(score, text));
      }),
    );
  });

  it('covers less of a query that also asks for what there is not', () => {
    fc.assert(
      fc.property(lexemes, statistics, (text, given) => {
        const score = bm25(terms, given, 4);
        const missing = { ...given, documentFrequencies: [...given.documentFrequencies, 0] };
        const wider = bm25([...terms, 'missing'], missing, 4);
        expect(wider.terms).toEqual(score.terms);
        fc.pre(coverageOf(score, text) > 0);
        expect(coverageOf(wider, text)).toBeLessThan(coverageOf(score, text));
      }),
    );
  });

  it('knows nothing of an empty query or an empty memory', () => {
    const empty = { documents: 0, averageLength: 0, episodes: 0, documentFrequencies: [] };
    expect(coverageOf(bm25([], empty, 4), ['a'])).toBe(0);
    expect(bm25(['a'], { ...empty, documentFrequencies: [0] }, 4).terms).toEqual([]);
    expect(coverageOf(bm25(['a'], { ...empty, documentFrequencies: [0] }, 4), ['a'])).toBe(0);
  });
});

describe('cursors', () => {
  const list = fc.dictionary(fc.string(), fc.jsonValue());
  const bookmark = fc.record({
    at: fc.integer({ min: 0, max: 8.64e15 }),
    id: fc.string({ minLength: 1, maxLength: 50, unit: 'grapheme-ascii' }),
  });

  it('lead back to where the page ended, for the same list only', () => {
    fc.assert(
      fc.property(list, list, bookmark, (one, other, end) => {
        const cursor = cursorAfter(one, end);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(bookmarkOf(one, cursor)).toEqual(end);
        const code = codeThrownBy(() => bookmarkOf(other, cursor));
        expect(code).toBe(canonicalJson(one) === canonicalJson(other) ? undefined : 'VALIDATION_FAILED');
      }),
    );
  });

  it('that were tampered with are refused or harmless, and never more than that', () => {
    const forged = fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'));
    const text = fc.oneof(fc.string({ unit: 'binary' }), forged, fc.base64String());
    fc.assert(
      fc.property(list, text, (one, cursor) => {
        expect(codeThrownBy(() => bookmarkOf(one, cursor))).toBe('VALIDATION_FAILED');
      }),
    );
    fc.assert(
      fc.property(list, bookmark, fc.nat(), fc.string({ maxLength: 3 }), (one, end, at, piece) => {
        const cursor = cursorAfter(one, end);
        const cut = at % cursor.length;
        const code = codeThrownBy(() => bookmarkOf(one, cursor.slice(0, cut) + piece + cursor.slice(cut + 1)));
        expect(['VALIDATION_FAILED', undefined]).toContain(code);
      }),
    );
  });
});

describe('JSON', () => {
  it('has one spelling, whatever the order of its keys', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, inner]) => [key, reversed(inner)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const text = canonicalJson(one);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(one)));
        expect(canonicalJson(reversed(one))).toBe(text);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        if (canonicalJson(other) === text) expect(JSON.parse(JSON.stringify(other))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is accepted when it is plain, well-formed and not too deep', () => {
    const plain = fc.jsonValue({
      maxDepth: 8,
      stringUnit: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    });
    fc.assert(
      fc.property(plain, (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes(String.raw`\u0000`) && text.isWellFormed() && !text.includes('"__proto__"'));
        expect(codeThrownBy(() => assertJson(value))).toBeUndefined();
      }),
    );
  });

  it('has times as texts, and says how', () => {
    const message = 'metadata.at: is a Date; give an ISO string, such as date.toISOString().';
    expect(() => assertJson({ metadata: { at: new Date(0) } })).toThrow(message);
  });

  it('of any other sort is refused, never more than that', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        if (codeThrownBy(() => assertJson(value)) !== undefined) return;
        // What is accepted survives the wire: a second trip changes nothing more.
        const text = JSON.stringify(value);
        if (text !== undefined) expect(JSON.stringify(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(() => assertJson(cycle)).toThrow('more than 32 levels deep, or contains itself');
  });

  it('is cut off at its depth, exactly', () => {
    const nest = (depth: number): unknown => (depth === 0 ? 0 : [nest(depth - 1)]);
    expect(codeThrownBy(() => assertJson(nest(MAX_JSON_DEPTH)))).toBeUndefined();
    expect(codeThrownBy(() => assertJson(nest(MAX_JSON_DEPTH + 1)))).toBe('VALIDATION_FAILED');
    expect(codeThrownBy(() => assertJson(nest(3000)))).toBe('VALIDATION_FAILED');
  });
});

describe('lexemes', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200, size: 'max' }),
    fc.string({ unit: 'grapheme', maxLength: 200, size: 'max' }),
    // Long words, of letters that need one and two units of UTF-16.
    fc.array(fc.constantFrom('𐐩', '𞤢', 'x', 'é'), { maxLength: 60, size: 'max' }).map((letters) => letters.join('')),
    fc
      .array(fc.constantFrom('𐐔', '𞤀', 'é', 'x', '東', 'ก', '·', ' ', "'", '1', '\u0301'), {
        maxLength: 120,
        size: 'max',
      })
      .map((parts) => parts.join('')),
  );

  it('are words of letters, marks and digits, of bounded length, or pictures, from any string', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const lexeme of [...lexemesOf(text), ...queryTerms(text)]) {
          expect(lexeme).toMatch(/^(?:[\p{L}\p{M}\p{N}]{1,40}|\p{RI}{2}|\p{Extended_Pictographic})$/u);
          expect(lexeme.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('do not depend on case, composition or what stands between words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(lexemesOf(text.normalize('NFD'))).toEqual(lexemesOf(text.normalize('NFC')));
      }),
    );
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 12 });
    fc.assert(
      fc.property(words, fc.constantFrom(' ', ' - ', '\n', '; ', '."(', '·'), (each, gap) => {
        expect(lexemesOf(each.join(gap).toUpperCase())).toEqual(lexemesOf(each.join(' ')));
      }),
    );
  });

  it('are their own lexemes where there is nothing to stem', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const lexeme of lexemesOf(text)) {
          if (/[a-z]/.test(lexeme) || /\p{Script=Han}|\p{Script=Thai}/u.test(lexeme)) continue;
          expect(lexemesOf(lexeme)).toEqual([lexeme]);
        }
      }),
    );
  });

  it('of a text are all found by the text itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const terms = queryTerms(text);
        expect(new Set(terms).size).toBe(terms.length);
        for (const lexeme of lexemesOf(text)) expect(terms).toContain(lexeme);
      }),
    );
  });
});

describe('content', () => {
  it('is the same in every composition and with any white space', () => {
    const words = fc.array(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((word) => !/\s/u.test(word)),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    const gap = fc.constantFrom(' ', '  ', '\n', '\t', '\u00a0', ' \r\n ');
    fc.assert(
      fc.property(words, gap, (each, space) => {
        const hash = contentHash(each.join(' '));
        expect(contentHash(space + each.join(space) + space)).toBe(hash);
        expect(contentHash(each.join(' ').normalize('NFD'))).toBe(hash);
        expect(contentHash([...each, 'more'].join(' '))).not.toBe(hash);
      }),
    );
  });
});
