/** What speaks for a turn, part by part: names, times, neighbours, and how it all adds up. */

import { describe, expect, it } from 'vitest';
import { bm25 } from '../src/core/recall/bm25.ts';
import { Conversations, NONE } from '../src/core/recall/conversations.ts';
import { evidenceOf, scoreOf, scoreOfSum, WEIGHTS } from '../src/core/recall/score.ts';
import { endingsFor, signalsOf, type Query, type RankingContext } from '../src/core/recall/signals.ts';
import { asIfSpoken, namedSpeakers, namesToLookUp, termsOfNames } from '../src/core/recall/speakers.ts';
import { asksWhen, saysWhen, timesNamed } from '../src/core/text/named-times.ts';
import { lexemesOf, nameLexemes } from '../src/core/text/lexemes.ts';
import { sortAskedFor } from '../src/core/text/questions.ts';
import { isNews, isNumbered, isReaction, naming } from '../src/core/text/telling.ts';
import { DEFAULT_RANKING } from '../src/domain/ranking.ts';
import type { Signals } from '../src/domain/recall.ts';
import type { Candidate, Said } from '../src/ports/entry-store.ts';

const TERMS = ['plant', 'leek'];

let made = 0;

function turn(text: string, said: Partial<Said> = {}, more: Partial<Candidate> = {}): Candidate {
  const lexemes = lexemesOf(text);
  made += 1;
  return {
    id: String(made).padStart(4, '0'),
    layer: 'agent',
    contentHash: text,
    importance: 0.5,
    confidence: 1,
    since: Date.parse('2026-03-02T10:00:00Z') + made,
    length: lexemes.length,
    frequencies: TERMS.map((term) => lexemes.filter((lexeme) => lexeme === term).length),
    similarity: 0,
    said: { sessionId: 's', ending: text, ...said },
    ...more,
  };
}

const WORDS = bm25(TERMS, { documents: 10, averageLength: 5, episodes: 10, documentFrequencies: [3, 2] }, 32);

function query(text: string, names: readonly string[] = []): Query {
  return {
    text,
    words: WORDS,
    aboveChance: (value) => Math.max(0, value),
    kinship: 0.25,
    names: new Set(names),
    now: Date.now(),
  };
}

const CONTEXT: RankingContext = { ranking: DEFAULT_RANKING, weights: WEIGHTS.hybrid, isComplete: true };

function listed(candidates: readonly Candidate[], asked: Query, context = CONTEXT): Signals[] {
  const signals = signalsOf(candidates, asked, context);
  return candidates.map((_, index) => signals.at(index));
}

describe('names', () => {
  it.each([
    ['What did Anna give Bela?', ['anna'], 'What did I give Bela?'],
    ["What did Anna's aunt say?", ['anna'], 'What did my aunt say?'],
    ['What did Anna’s aunt say?', ['anna'], 'What did my aunt say?'],
    ['Did Anna Maria Lind call?', ['anna', 'maria', 'lind'], 'Did I call?'],
    ["Is Anna Lind's cat well?", ['anna', 'lind'], 'Is my cat well?'],
    ['anna', ['bela'], 'anna'],
    ['', ['anna'], ''],
    ['Wo ist 東京?', ['anna'], 'Wo ist 東京?'],
  ])('are taken out of %j', (text, names, expected) => {
    expect(asIfSpoken(text, new Set(names.flatMap(nameLexemes)))).toBe(expected);
  });

  it('that are stop words are names within a sentence, and only there', () => {
    expect(namesToLookUp('Where did Will go?')).toContain('will');
    expect(namesToLookUp('Will he go?')).not.toContain('will');
    expect(namesToLookUp('What will he say?')).not.toContain('will');
  });

  it('of two who share one are told apart by the rest', () => {
    const candidates = [
      turn('a', { speaker: 'Anna Lind' }),
      turn('b', { speaker: 'Bela Lind' }),
      turn('c', { speaker: 'Cem' }),
    ];
    const named = (text: string): number[] => {
      const share = namedSpeakers(candidates, text, new Set(nameLexemes(text)));
      return ['Anna Lind', 'Bela Lind', 'Cem'].map(share);
    };
    expect(named('Anna Lind')).toEqual([1, 0, 0]);
    expect(named('Lind')).toEqual([1, 1, 0]);
    expect(named('Anna Lind and Cem')).toEqual([1, 0, 1]);
    expect(named('Dora')).toEqual([0, 0, 0]);
  });

  it('that come later count less, unless they are named together', () => {
    const candidates = [turn('a', { speaker: 'Anna' }), turn('b', { speaker: 'Bela' }), turn('c', { speaker: 'Cem' })];
    const named = (text: string): number[] => {
      const share = namedSpeakers(candidates, text, new Set(['anna', 'bela', 'cem']));
      return ['Anna', 'Bela', 'Cem'].map(share);
    };
    expect(named('What did Bela give Anna?')).toEqual([0.4, 1, 0.4]);
    expect(named('What do Anna and Bela like?')).toEqual([1, 1, 0.4]);
    expect(named("Anna's, Bela's or Cem's?")).toEqual([1, 1, 1]);
  });

  it('are not looked up without end', () => {
    expect(namesToLookUp(Array.from({ length: 500 }, (_, n) => `Name${n}`).join(' ')).length).toBeLessThan(20);
  });
});

describe('times that a question names', () => {
  it.each([
    ['What happened in May 2023?', '2023-05-17', true],
    ['What happened in May 2023?', '2023-04-28', false],
    ['What happened in May 2023?', '2024-05-17', false],
    ['What happened on 5 May, 2023?', '2023-05-06', true],
    ['What happened on May 5th?', '2021-05-05', true],
    ['What happened on May 5th?', '2021-05-15', false],
    ['What happened on the 5th of May?', '2022-05-04', true],
    ['What happened on 2023-05-05?', '2023-05-05', true],
    ['What happened in 2023-05?', '2023-05-30', true],
    ['What happened in 2022?', '2022-12-31', true],
    ['What happened in 2022?', '2023-06-01', false],
    ['What was planned for late December?', '2024-01-01', true],
    ['What happened in May or in July?', '2020-07-08', true],
  ])('%s: %s', (question, at, expected) => {
    expect(timesNamed(question)?.(Date.parse(at))).toBe(expected);
  });

  it.each(['What may she want?', 'Where did they march?', 'Who has 2023 stamps?', 'Call me at 5', '', '9999-99-99'])(
    'are none in %j',
    (question) => {
      expect(timesNamed(question)).toBeUndefined();
    },
  );

  it('are told from being asked for', () => {
    expect(['When did he come?', 'What day was it?', 'How long did it last?'].every(asksWhen)).toBe(true);
    expect(['What did he say when he came?', 'Whenever', 'Who came?'].some(asksWhen)).toBe(false);
    expect(['I saw him last week', 'two days ago', 'in 2019'].every(saysWhen)).toBe(true);
    expect(['I saw him', 'fine', ''].some(saysWhen)).toBe(false);
  });

  it('decide how much has to be read', () => {
    expect(endingsFor('When did he come?', DEFAULT_RANKING)).toBe(400);
    const plain = { ...DEFAULT_RANKING, manner: false };
    expect(endingsFor('When did he come?', plain)).toBe(400);
    expect(endingsFor('Who came?', plain)).toBeLessThan(10);
    expect(endingsFor('When did he come?', { ...plain, times: false })).toBeLessThan(10);
  });
});

describe('conversations', () => {
  const heardBy = (conversations: Conversations, index: number): number[] =>
    Array.from(conversations.heard(TERMS.length).counts.subarray(index * TERMS.length, (index + 1) * TERMS.length));

  it('count the words of those beside a turn, the nearest most', () => {
    const [first, second, third] = [
      turn('plant plant', { turn: 1 }),
      turn('yes', { turn: 2 }),
      turn('leek', { turn: 3 }),
    ];
    const conversations = new Conversations([third, first, second], true);
    const [plant = 0, leek = 0] = heardBy(conversations, 2);
    expect(plant).toBeCloseTo(1);
    expect(leek).toBeCloseTo(0.5);
    expect([conversations.beside(2, -1), conversations.beside(2, 1)]).toEqual([1, 0]);
    expect([conversations.beside(1, -1), conversations.beside(1, 1)]).toEqual([NONE, 2]);
  });

  it('give the words of a question to its answer', () => {
    const turns = [turn('plant leek?', { turn: 1 }), turn('yes', { turn: 2 }), turn('no', { turn: 3 })];
    const conversations = new Conversations(turns, true);
    expect(heardBy(conversations, 1)).toEqual([1, 1]);
    expect(heardBy(conversations, 2)[0]).toBeCloseTo(0.4);
  });

  it('stay apart', () => {
    const [one, other] = [turn('plant', { sessionId: 'a', turn: 1 }), turn('yes', { sessionId: 'b', turn: 2 })];
    const loose = turn('leek', { sessionId: undefined });
    const conversations = new Conversations([one, other, loose], true);
    expect(conversations.beside(1, -1)).toBe(NONE);
    expect([...conversations.heard(TERMS.length).isHeard]).toEqual([1, 0, 1]);
    expect(heardBy(conversations, 2)).toEqual([0, 1]);
    expect(conversations.heardLength(2)).toBe(1);
    const standings = Float64Array.of(Number.NaN, Number.NaN, Number.NaN);
    conversations.stand(Float64Array.of(1, 1, 1), standings);
    expect([standings[0], standings[2]]).toEqual([1, Number.NaN]);
  });

  it('go by numbers where some turns are missing, and know no neighbours without them', () => {
    const numbered = [turn('plant', { turn: 1 }), turn('yes', { turn: 3 })];
    expect(new Conversations(numbered, false).beside(1, -1)).toBe(NONE);
    expect(heardBy(new Conversations(numbered, false), 1)[0]).toBeCloseTo(0.4);
    expect(new Conversations(numbered, true).beside(1, -1)).toBe(0);
    const dated = [turn('plant'), turn('yes')];
    expect(new Conversations(dated, false).beside(1, -1)).toBe(NONE);
    expect(new Conversations(dated.toReversed(), true).beside(0, -1)).toBe(1);
  });
});

describe('how a turn is written', () => {
  it('tells whether it names, counts or brings news, or is only a reaction', () => {
    expect(['no', 'we met Anna', 'we met Anna, and then Bela', 'read "Emma"'].map(naming)).toEqual([0, 0.5, 1, 1]);
    expect(['I have two', 'in 1999', '٣', 'both of them'].every(isNumbered)).toBe(true);
    expect(['I have some', 'stone', ''].some(isNumbered)).toBe(false);
    expect(['We went yesterday', 'just back'].every(isNews)).toBe(true);
    expect(['We go there', ''].some(isNews)).toBe(false);
    expect(['Thanks, Anna!', "That's great", 'Awww'].every(isReaction)).toBe(true);
    expect(['I said thanks', 'Thanksgiving was fine', ''].some(isReaction)).toBe(false);
  });

  it('matters more where a question asks for it', () => {
    expect(['Who came?', 'Which city?', 'What is his name?'].map(sortAskedFor)).toEqual(['name', 'name', 'name']);
    expect(['How many cats?', 'How old is he?'].map(sortAskedFor)).toEqual(['number', 'number']);
    expect(['What happened?', 'How was it?', ''].map(sortAskedFor)).toEqual([undefined, undefined, undefined]);
  });
});

describe('the best result', () => {
  const bestOf = (candidates: Candidate[], asked: Query): number => listed(candidates, asked)[0]?.best ?? -1;

  it('is shared by all, keeps their order, and is low where nothing has much to say', () => {
    const candidates = [turn('plant leek', {}, { similarity: 0.7 }), turn('no'), turn('plant')];
    const signals = listed(candidates, query('plant leek'));
    expect(new Set(signals.map(({ best }) => best)).size).toBe(1);
    const without = listed(candidates, query('plant leek'), {
      ...CONTEXT,
      ranking: { ...DEFAULT_RANKING, best: false },
    });
    const order = (of: typeof signals): string[] =>
      of
        .map((own, index) => ({ id: candidates[index]?.id ?? '', score: scoreOf(own, WEIGHTS.hybrid) }))
        .toSorted((a, b) => b.score - a.score)
        .map(({ id }) => id);
    expect(order(signals)).toEqual(order(without));
    expect(bestOf(candidates, query('plant leek'))).toBeGreaterThan(0.5);
    expect(bestOf([turn('no'), turn('yes')], query('plant leek'))).toBe(0);
  });

  it('counts less where others say it than who is named', () => {
    const said = (speaker: string): Candidate[] => [
      turn('plant', { speaker, sessionId: 'a' }, { similarity: 0.2 }),
      turn('no', { speaker: speaker === 'Anna' ? 'Bela' : 'Anna', sessionId: 'a' }, { similarity: 0.1 }),
    ];
    const asked = query('What did Anna plant?', ['anna']);
    expect(bestOf(said('Anna'), asked)).toBeGreaterThan(bestOf(said('Bela'), asked));
  });

  it('is told only where words and meaning are both looked at, and there is a conversation', () => {
    const two = [turn('plant'), turn('no')];
    expect(listed(two, query('plant'), { ...CONTEXT, weights: WEIGHTS.keyword })[0]?.best).toBeUndefined();
    expect(bestOf([turn('plant')], query('plant'))).toBe(-1);
    expect(bestOf(two, query('plant'))).toBeGreaterThanOrEqual(0);
  });
});

describe('signals', () => {
  it('of what is no turn are words, meaning and what the entry says of itself', () => {
    const [signals] = listed([turn('plant', {}, { said: undefined })], query('plant', ['anna']));
    expect(Object.keys(signals ?? {}).toSorted()).toEqual(['confidence', 'importance', 'recency', 'text', 'vector']);
  });

  it('can be left out one by one', () => {
    const candidates = [
      turn('plant? last week', { turn: 1, speaker: 'Anna' }),
      turn('leek and much soup', { turn: 2, speaker: 'Bela' }),
    ];
    const asked = query('When did Anna plant in May?', ['anna']);
    const names = (ranking: Partial<typeof DEFAULT_RANKING>): string[] => {
      const [, second = {}] = listed(candidates, asked, { ...CONTEXT, ranking: { ...DEFAULT_RANKING, ...ranking } });
      return Object.keys(second);
    };
    expect(names({})).toEqual(
      expect.arrayContaining(['speaker', 'session', 'time', 'when', 'asks', 'substance', 'best']),
    );
    expect(names({ best: false })).not.toContain('best');
    expect(names({ speakers: false })).not.toContain('speaker');
    expect(names({ sessions: false })).not.toContain('session');
    expect(names({ times: false })).not.toEqual(expect.arrayContaining(['time']));
    expect(names({ manner: false })).not.toEqual(expect.arrayContaining(['asks']));
  });

  it('of a turn of a word or two are its own, and none of those around it', () => {
    const asked = query('plant leek');
    const answered = turn('plant leek plant', { turn: 1 }, { similarity: 0.6 });
    const next = (content: string): Partial<Signals> =>
      listed([answered, turn(content, { turn: 2 }, { similarity: 0 })], asked)[1] ?? {};
    const [brief, longer] = [next('fine thanks'), next('fine thanks then today')];
    expect(brief.text).toBe(0);
    expect(brief.vector).toBe(0);
    expect(brief).not.toHaveProperty('session');
    expect(longer.text).toBeGreaterThan(0);
    expect(longer).toHaveProperty('session');
  });

  it('of a name do not count in the words of who is known to have said it', () => {
    const named = bm25(
      ['anna', 'leek'],
      { documents: 9, averageLength: 2, episodes: 9, documentFrequencies: [3, 3] },
      32,
      new Set(['anna']),
    );
    const covered = (counts: readonly number[], isSpoken: boolean): number => named.coverage(2, counts, 0, isSpoken);
    expect(covered([0, 1], true)).toBeGreaterThan(covered([0, 1], false) * 1.5);
    expect(covered([1, 0], true)).toBe(0);
  });

  it('add up to the score', () => {
    const candidates = [
      turn('plant leek?', { turn: 1, speaker: 'Anna' }, { similarity: 0.6 }),
      turn('no', { turn: 2 }),
    ];
    const asked = query('When did Anna plant?', ['anna']);
    const sums = signalsOf(candidates, asked, CONTEXT).sums(WEIGHTS.hybrid);
    for (const [index, signals] of listed(candidates, asked).entries()) {
      const parts = Object.values(evidenceOf(signals, WEIGHTS.hybrid)).map((part) => part ?? 0);
      expect(parts.some((part) => Object.is(part, -0))).toBe(false);
      const sum = parts.reduce((total, part) => total + part, 0);
      expect(sums[index]).toBeCloseTo(sum, 12);
      expect(scoreOf(signals, WEIGHTS.hybrid)).toBe(scoreOfSum(Number(sums[index])));
      expect(Object.values(signals).every((value) => Number(value) >= 0 && Number(value) <= 1)).toBe(true);
    }
  });
});

it('names are left out of the words of a question as those are looked for', () => {
  const terms = termsOfNames('What did Mum and Will Grey buy?', new Set(['mum', 'will', 'grei']));
  expect([...terms].toSorted()).toEqual(['grai', 'grei', 'mom', 'mum', 'will']);
});
