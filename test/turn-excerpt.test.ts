/** Long memories in a prompt with little room: the passage that fits the message, and never more than the budget. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asData } from '../src/core/turn/as-data.ts';
import type { TurnCandidate } from '../src/core/turn/candidate.ts';
import { excerptOf } from '../src/core/turn/excerpt.ts';
import { pack } from '../src/core/turn/pack.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { parsePrompt } from './turn-prompt-parser.ts';

const ANSWER = 'The boiler is serviced by Mr Okoro, who wants to be called in the week before.';

/** Sentences about nothing in particular, with one that answers in the middle. */
const LONG = [
  ...Array.from(
    { length: 60 },
    (_, at) => `In room ${at} the walls were painted and the floor was laid by the family.`,
  ),
  ANSWER,
  ...Array.from(
    { length: 60 },
    (_, at) => `In the garden the bed with number ${at} was dug and all of it was planted.`,
  ),
].join(' ');

const GIVEN = { message: 'Who comes for the boiler service?', seen: [] };

function found(content: string, score: number, since?: string): TurnCandidate {
  return { section: 'memory', name: { id: `id-${score}`, score }, content, since };
}

describe('the passage of a long text', () => {
  const terms = new Set(['boiler', 'servic']);

  it('is the one that has the words of the question, with what stands after it', () => {
    const passage = excerptOf(LONG, terms, 400) ?? '';
    expect(passage.startsWith(`… ${ANSWER}`)).toBe(true);
    expect(passage).toContain('In the garden the bed with number 0');
    expect(passage.endsWith('…')).toBe(true);
    expect(passage.length).toBeLessThanOrEqual(400);
  });

  it('is the beginning where no word of the question is there', () => {
    const passage = excerptOf(LONG, new Set(['giraff']), 300) ?? '';
    expect(passage.startsWith('In room 0')).toBe(true);
  });

  it('takes in what stands before it where the text ends', () => {
    const passage = excerptOf(LONG.slice(0, LONG.indexOf(ANSWER) + ANSWER.length), terms, 400) ?? '';
    expect(passage.endsWith(ANSWER)).toBe(true);
    expect(passage.length).toBeGreaterThan(300);
  });

  it('is none of a short text, or of a room too small for one', () => {
    expect(excerptOf(ANSWER, terms, 60)).toBeUndefined();
    expect(excerptOf(LONG, terms, 60)).toBeUndefined();
  });

  it('is found as fast in a text of nothing but words of the question', () => {
    const began = performance.now();
    expect(excerptOf('boiler\n'.repeat(20_000), terms, 20_000)).toBeDefined();
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it('never is longer than asked for, and is a part of the text, whatever that is', () => {
    const text = fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(' ', '\n', '. ', '。', 'boiler ')))
      .map((parts) => parts.join('').repeat(20));
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 1000 }), (content, most) => {
        const passage = excerptOf(content, terms, most);
        if (passage === undefined) return;
        expect(passage.length).toBeLessThanOrEqual(most);
        expect(content).toContain(passage.replace(/^… /, '').replace(/ …$/, ''));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a long memory in a prompt', () => {
  it('is there as a passage, marked as an excerpt and within any budget', () => {
    for (let budget = 40; budget < 1500; budget += 37) {
      const { taken, tokens } = pack([found(LONG, 0.9), found('The garden is behind the house', 0.8)], GIVEN, budget);
      expect(tokens).toBeLessThanOrEqual(budget);
      const [first] = taken;
      if (budget > 150) expect(first).toMatchObject({ content: LONG, isExcerpt: true });
      if (first?.isExcerpt) expect(first.line).toMatch(/^- \(excerpt\) … .*Mr Okoro/);
    }
  });

  it('leaves room for others, and is there whole where there is enough', () => {
    const others = Array.from({ length: 10 }, (_, at) =>
      found(`Fact ${at} that is known of the house`, 0.8 - at / 100),
    );
    const some = pack([found(LONG, 0.9), ...others], GIVEN, 600);
    expect(some.taken).toHaveLength(11);
    const all = pack([found(LONG, 0.9), ...others], GIVEN, 5000);
    expect(all.taken[0]?.line).toBe(`- ${asData(LONG)}`);
    expect(all.taken.some(({ isExcerpt }) => isExcerpt)).toBe(false);
  });

  it('is taken whole in the end, where it exceeds its share and others leave enough', () => {
    const turn: TurnCandidate = { ...found('I was there', 0.8), said: { at: '2026-03-01T10:00:00.000Z' } };
    const whole = pack([found(LONG, 0.9)], GIVEN, 10_000).tokens;
    const { taken, tokens } = pack([found(LONG, 0.9), turn], GIVEN, whole + 100);
    expect(taken.map(({ isExcerpt }) => isExcerpt)).toEqual([undefined, undefined]);
    expect(tokens).toBeLessThanOrEqual(whole + 100);
  });

  it('is not cut where it is a rule, a value or a recent turn', () => {
    for (const section of ['procedures', 'working', 'conversation'] as const) {
      const { taken, leftOut } = pack([{ section, name: { id: section }, content: LONG }], GIVEN, 300);
      expect([taken.length, leftOut[0]?.reason]).toEqual([0, 'budget']);
    }
  });

  it('is told in the receipt, and shown in the prompt', { timeout: 60_000 }, async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const memory = lamina.as({ userId: 'alice' });
    await memory.add({ content: LONG, layer: 'user' });
    const turn = await memory.turnContext({ message: GIVEN.message, threshold: 0 });
    expect(parsePrompt(turn.prompt).sections['Relevant Memory']?.[0]).toContain(ANSWER);
    expect(turn.receipt).toMatchObject({ taken: [{ isExcerpt: true }], counts: { taken: 1, budget: 0 } });
    expect(turn.tokens).toBeLessThanOrEqual(2000);
  });
});

describe('where there is room for one', () => {
  const former = found('The rent is 700 a month', 0.99, '2026-03-01T10:00:00.000Z');
  const budget = pack([former], GIVEN, 2000).tokens + 2;

  it('the newer of two that are as relevant is taken', () => {
    const later = found('The rent is 750 a month', 0.989, '2026-04-01T10:00:00.000Z');
    expect(pack([former, later], GIVEN, budget).taken.map(({ content }) => content)).toEqual([later.content]);
  });

  it('the more relevant one is taken, however old it is', () => {
    const later = found('The rent of the van is 50', 0.98, '2026-04-01T10:00:00.000Z');
    expect(pack([former, later], GIVEN, budget).taken.map(({ content }) => content)).toEqual([former.content]);
  });
});
