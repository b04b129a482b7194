/** What `lamina bench recall` reads and how it reckons: data sets, figures against values found by hand, and bounds. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerabilityOf, auroc, FOREIGN } from '../src/cli/bench/answerability.ts';
import { fuseRanks } from '../src/cli/bench/rank-fusion.ts';
import { readDataset, type DatasetName } from '../src/cli/bench/recall-dataset.ts';
import { figuresOf, percentile } from '../src/cli/bench/recall-metrics.ts';
import type { AskedQuestion } from '../src/cli/bench/recall-result.ts';
import { foreignQuestions, selectCases } from '../src/cli/bench/recall-selection.ts';
import { locomoFile, longMemEvalFile, writeJson } from './recall-dataset-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lamina-bench-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const NONE = Number.POSITIVE_INFINITY;

describe('LoCoMo', () => {
  it('becomes turns in the order in which they were said, with speaker, session, time and caption', async () => {
    const { cases, sha256 } = await readDataset('locomo', await writeJson(folder, 'locomo.json', locomoFile()));
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
    const [harbour] = cases;
    expect(harbour?.turns.map(({ id }) => id)).toEqual(['D2:1', 'D2:2', 'D2:4', 'D10:1', 'D10:2', 'D10:3', 'D10:4']);
    expect(harbour?.turns[4]).toEqual({
      id: 'D10:2',
      session: 'session-10',
      turn: 1,
      at: Date.parse('2024-03-03T00:06:00Z'),
      role: 'user',
      speaker: 'Tobin',
      text: 'A good name. I gave up on sailing and keep bees instead.\n[shares a picture: three wooden beehives in a garden]',
    });
    expect(harbour?.turns[0]?.at).toBe(Date.parse('2023-05-08T13:56:00Z'));
  });

  it('names evidence however it is spelt, without what is not there or says nothing', async () => {
    const { cases } = await readDataset('locomo', await writeJson(folder, 'locomo.json', locomoFile()));
    const questions = cases[0]?.questions ?? [];
    expect(questions.map(({ category, evidence, isAnswerable }) => [category, evidence, isAnswerable])).toEqual([
      ['single-hop', ['D10:1'], true],
      ['single-hop', ['D2:2'], true],
      ['multi-hop', ['D10:2', 'D10:4'], true],
      ['temporal', ['D2:1'], true],
      ['adversarial', ['D10:2'], false],
      ['open-domain', [], true],
    ]);
    expect(questions[2]?.sessions).toEqual(['session-10']);
  });
});

it('LongMemEval becomes a conversation per question, in the order of time, with abstentions apart', async () => {
  const { cases } = await readDataset('longmemeval', await writeJson(folder, 'lme.json', longMemEvalFile()));
  const [first, second, third] = cases;
  expect(first?.turns.map(({ session, turn, role }) => [session, turn, role])).toEqual([
    ['s-marathon', 0, 'user'],
    ['s-marathon', 1, 'assistant'],
    ['s-kettle', 0, 'user'],
    ['s-kettle', 1, 'assistant'],
  ]);
  expect(first?.questions[0]).toMatchObject({
    category: 'single-session-user',
    evidence: [first?.turns[2]?.id],
    sessions: ['s-kettle'],
    askedAt: Date.parse('2023-06-30T08:00:00Z'),
  });
  expect(second?.questions[0]).toMatchObject({
    category: 'abstention',
    isAnswerable: false,
    evidence: [],
    sessions: [],
  });
  expect(third?.questions[0]).toMatchObject({ evidence: [], sessions: ['s-marathon'] });
  // The second history holds what answers the first question; the third does not.
  expect(foreignQuestions(cases, 2).map(({ id }) => id)).toEqual(['q1']);
  expect(
    foreignQuestions(
      [second, first].flatMap((one) => one ?? []),
      0,
    ),
  ).toEqual([]);
});

describe('a wrong file', () => {
  const [harbour] = locomoFile();
  const [kettle] = longMemEvalFile();
  const timeless = { ...harbour, conversation: { ...harbour?.conversation, session_2_date_time: 'yesterday' } };
  it.each<[string, DatasetName, unknown, RegExp]>([
    ['no JSON', 'locomo', '{"a":', /is not JSON/],
    ['of the other data set', 'locomo', longMemEvalFile(), /not a file of LoCoMo: .* at \[0\]\.sample_id/],
    ['the other way round', 'longmemeval', locomoFile(), /not a file of LongMemEval: .* at \[0\]\.question_id/],
    ['no list', 'locomo', {}, /not a file of LoCoMo/],
    ['empty', 'locomo', [], /there are no questions in it/],
    [
      'with a wrong time',
      'locomo',
      [timeless],
      /expected a time such as .* at \[0\]\.conversation\.session_2_date_time/,
    ],
    [
      'without the time of a session',
      'locomo',
      [{ ...harbour, conversation: { session_1: [] } }],
      /session_1_date_time/,
    ],
    ['with a name twice', 'locomo', [harbour, harbour], /two conversations are called "harbour"/],
    ['of unequal lists', 'longmemeval', [{ ...kettle, haystack_dates: [] }], /differ in length/],
    ['with a day that does not exist', 'longmemeval', [{ ...kettle, question_date: '2023/13/41' }], /expected a time/],
  ])('is refused: %s', async (_, name, value, message) => {
    const file = await writeJson(folder, 'wrong.json', value);
    await expect(readDataset(name, file)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it('that is not there is not found', async () => {
    await expect(readDataset('locomo', join(folder, 'missing.json'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(readDataset('locomo', folder)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('takes categories by name or number, and refuses others with advice', async () => {
  const dataset = await readDataset('locomo', await writeJson(folder, 'locomo.json', locomoFile()));
  expect(selectCases(dataset, ['5', 'temporal'], undefined)).toMatchObject({
    categories: ['adversarial', 'temporal'],
    cases: [{ name: 'harbour', questions: [{ category: 'temporal' }, { category: 'adversarial' }] }],
  });
  expect(selectCases(dataset, undefined, 1).cases).toHaveLength(1);
  expect(() => selectCases(dataset, ['temporel'], undefined)).toThrow(
    /no category "temporel".*Did you mean "temporal"/,
  );
});

describe('figures', () => {
  it('are those found by hand', () => {
    const figures = figuresOf([[0, 4], [11], [NONE, NONE], []], [1, 5, 50]);
    expect(figures.questions).toBe(3);
    expect(figures.recall).toEqual({ 1: (0.5 + 0 + 0) / 3, 5: 1 / 3, 50: 2 / 3 });
    expect(figures.allHit).toEqual({ 1: 0, 5: 1 / 3, 50: 2 / 3 });
    expect(figures.anyHit).toEqual({ 1: 1 / 3, 5: 1 / 3, 50: 2 / 3 });
    expect(figures.mrr).toBeCloseTo((1 + 1 / 12 + 0) / 3, 12);
    const ideal = 1 + 1 / Math.log2(3);
    expect(figures.ndcg10).toBeCloseTo((1 + 1 / Math.log2(6)) / ideal / 3, 12);
  });

  it('are 0 of nothing', () => {
    expect(figuresOf([], [1])).toEqual({
      questions: 0,
      recall: { 1: 0 },
      allHit: { 1: 0 },
      anyHit: { 1: 0 },
      mrr: 0,
      ndcg10: 0,
    });
  });

  it('stay in bounds, grow with the cut, and all-hit ≤ recall ≤ any-hit', () => {
    // The evidence of a question stands at different places.
    const places = fc
      .uniqueArray(fc.nat(60), { maxLength: 6 })
      .chain((found) => fc.nat(3).map((lost) => [...found, ...Array.from({ length: lost }, () => NONE)]));
    fc.assert(
      fc.property(fc.array(places, { maxLength: 12 }), (questions) => {
        const cuts = [1, 5, 10, 25, 50];
        const { recall, allHit, anyHit, mrr, ndcg10 } = figuresOf(questions, cuts);
        for (const value of [mrr, ndcg10]) expect(value >= 0 && value <= 1 + 1e-9).toBe(true);
        for (const [index, cut] of cuts.entries()) {
          const [all = NaN, share = NaN, any = NaN] = [allHit[cut], recall[cut], anyHit[cut]];
          expect(0 <= all && all <= share + 1e-9 && share <= any + 1e-9 && any <= 1 + 1e-9).toBe(true);
          const before = cuts[index - 1];
          if (before !== undefined) {
            for (const by of [recall, allHit, anyHit])
              expect((by[before] ?? NaN) <= (by[cut] ?? NaN) + 1e-9).toBe(true);
          }
        }
      }),
    );
  });

  it('of durations are values that occurred', () => {
    expect([percentile([3, 1, 2], 0.5), percentile([3, 1, 2], 0.95), percentile([], 0.5)]).toEqual([2, 3, 0]);
  });
});

it('fuses by reciprocal ranks', () => {
  // 1/61 + 1/63 > 2/62, and both beat what is in one list only.
  expect(
    fuseRanks([
      ['a', 'b', 'c'],
      ['c', 'b', 'd', 'a'],
    ]),
  ).toEqual(['c', 'b', 'a', 'd']);
  expect(fuseRanks([[], ['x']])).toEqual(['x']);
});

describe('answerability', () => {
  const asked = (topScore: number, rest: Partial<AskedQuestion> = {}): AskedQuestion => ({
    id: 'q',
    category: 'plain',
    isAnswerable: true,
    isForeign: false,
    topScore,
    scores: [],
    answers: {},
    durations: {},
    ...rest,
  });

  it('is what was found by hand', () => {
    const report = answerabilityOf([
      asked(0.9, { scores: [0.9, 0.3], answers: { default: { turns: [1, 4], sessions: [1] } } }),
      asked(0.6, { scores: [0.6], answers: { default: { turns: [11], sessions: [1] } } }),
      asked(0.8, { isAnswerable: false, category: 'trick' }),
      asked(0.6, { isAnswerable: false, category: 'trick' }),
      asked(0.1, { isAnswerable: false, isForeign: true }),
    ]);
    expect(report.answerable).toEqual({ questions: 2, kept: 0.5 });
    expect(report.unanswerable).toEqual({
      trick: { questions: 2, auroc: (1 + 1 + 0 + 0.5) / 4, kept: 0.5 },
      [FOREIGN]: { questions: 1, auroc: 1, kept: 0 },
    });
    expect(report.curve.find(({ threshold }) => threshold === 0)).toMatchObject({ answerable: 1, recall10: 0.5 });
    expect(report.curve.find(({ threshold }) => threshold === 0.5)).toMatchObject({
      answerable: 1,
      unanswerable: { trick: 1, [FOREIGN]: 0 },
      recall10: 0.25,
    });
    expect(report.best).toEqual({ threshold: 0.81, answerable: 0.5, unanswerable: 0 });
  });

  it('has no area without both sides', () => {
    expect([auroc([], [1]), auroc([1], [])]).toEqual([null, null]);
    expect(answerabilityOf([asked(0.9)])).toMatchObject({ unanswerable: {}, best: null });
  });

  it('counts pairs, ties half', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const pairs = positives.flatMap((p) => negatives.map((n) => (p > n ? 1 : p === n ? 0.5 : 0)));
        const mean = pairs.reduce((sum: number, one) => sum + one, 0) / pairs.length;
        expect(auroc(positives, negatives)).toBeCloseTo(mean, 12);
        expect((auroc(positives, negatives) ?? 0) + (auroc(negatives, positives) ?? 0)).toBeCloseTo(1, 12);
      }),
    );
  });
});
