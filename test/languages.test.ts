/** Memory in other languages than English: the words of each, one spelling for several, and a multilingual model over HTTP. */

import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language, type Said } from '../bench/languages/sentences.ts';
import { openAiEmbedder } from '../src/compose/embedders.ts';
import { openEngine } from '../src/compose/engines.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { folded } from '../src/core/text/folding.ts';
import { formerTerms, lexemesOf, possibleNames, queryTerms } from '../src/core/text/lexemes.ts';
import type { Memory } from '../src/operations/memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { entryOf, writeOf } from '../src/testing/entry-write.ts';
import { startMultilingualServer } from './multilingual-server.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const ALL = Object.entries(LANGUAGES) as [Language, readonly Said[]][];

describe('words', () => {
  it.each([
    ['Chinese', '我昨天在北京吃了烤鸭', '北京烤鸭'],
    ['Chinese with numbers', '电话号码是13800138000', '13800138000'],
    ['Japanese', '機械学習の会議は東京都で行われます', '東京の機械学習'],
    ['Japanese, half as wide', 'データベースが遅い', 'ﾃﾞｰﾀﾍﾞｰｽ'],
    ['Thai', 'ผมชอบกินข้าวผัด', 'ข้าวผัด'],
    ['Arabic without vowel signs', 'قَرَأَ كِتَابًا', 'كتابا'],
    ['Arabic with the article', 'الكتاب على الطاولة', 'كتاب'],
    ['Arabic by another alef', 'أحمد يسكن هنا', 'احمد'],
    ['Arabic, stretched', 'مـــدرسة', 'مدرسه'],
    ['Persian letters', 'کتاب', 'كتاب'],
    ['digits of Arabic', 'الغرفة ٣٤', '34'],
    ['digits of Hindi', 'कमरा १२', '12'],
    ['Hebrew without points', 'שָׁלוֹם', 'שלום'],
    ['Greek in capitals', 'ΟΔΟΣ ΕΛΛΗΝΙΚΉ', 'οδός ελληνικη'],
    ['Russian ё', 'Ёлка', 'елка'],
    ['Turkish İ', 'İSTANBUL', 'istanbul'],
    ['Turkish ı', 'Diyarbakır', 'diyarbakir'],
    ['German ß', 'STRASSE', 'straße'],
    ['Polish', 'Łódź', 'lodz'],
    ['Vietnamese', 'Việt Nam', 'viet nam'],
    ['composed or not', 'cafe\u0301', 'café'],
    ['as wide as Chinese', 'ＡＢＣ１２３', 'abc123'],
    ['two scripts in a row', 'foo東京bar', '東京'],
    ['beside pictures', 'pizza🍕party ❤️', 'pizza party'],
  ])('are found: %s', (_, text, query) => {
    const stored = new Set(lexemesOf(text));
    const terms = queryTerms(query);
    expect(terms.length).toBeGreaterThan(0);
    expect(terms.filter((term) => !stored.has(term))).toEqual([]);
  });

  it('are pictures too, but not marks alone', () => {
    expect(lexemesOf('❤️ 👨‍👩‍👧 🇫🇷 \u0301 \u0640')).toEqual(['❤', '👨', '👩', '👧', '🇫🇷']);
    expect(queryTerms('👍🏽')).toEqual(['👍']);
  });

  it('stay apart where a mark makes another word', () => {
    expect(lexemesOf('мой')).not.toEqual(lexemesOf('мои'));
    expect(lexemesOf('が')).not.toEqual(lexemesOf('か'));
    expect(lexemesOf('कम')).not.toEqual(lexemesOf('काम'));
    expect(lexemesOf('ข้าว')).not.toEqual(lexemesOf('ขาว'));
  });

  it('keep the article where nothing would be left, and are spelled once for all', () => {
    expect(folded('الان')).toBe('الان');
    for (const [, said] of ALL) {
      for (const word of said.flatMap(({ memory }) => lexemesOf(memory)))
        expect(folded(folded(word))).toBe(folded(word));
    }
  });

  it('are names also within a sentence without spaces', () => {
    const query = '你知道安娜喜欢什么吗';
    const names = possibleNames(query);
    expect(names.map(({ start, end }) => query.slice(start, end))).toContain('安娜');
  });
});

async function remember(memory: Memory, said: readonly Said[]): Promise<string[]> {
  const added = await memory.addMany(said.map(({ memory: content }) => ({ content, layer: 'user' as const })));
  return added.map(({ memory: { id } }) => id);
}

it.each(ALL)('by words alone what was said is found in %s', async (_, said) => {
  const { lamina } = untilTestEnds(await openLamina());
  const memory = lamina.as({ userId: 'u' });
  const ids = await remember(memory, said);
  const places = await Promise.all(
    said.map(async ({ question }, index) => {
      const { results } = await memory.search({ query: question, mode: 'keyword', threshold: 0, limit: 1 });
      return results[0]?.memory.id === ids[index];
    }),
  );
  expect(places.filter(Boolean).length).toBeGreaterThanOrEqual(5);
});

it('what was indexed before spellings were led back to one is still found as it is written', async () => {
  expect(formerTerms('café déjà vu ❤️')).toEqual(['café', 'déjà']);
  const folder = await makeFolder();
  const engine = await openEngine({ databaseUrl: `sqlite:${folder}` });
  const lamina = await Lamina.open({ engine, embedder: new HashEmbedder() });
  try {
    const principal = { tenantId: '00000000-0000-0000-0000-000000000000', userId: 'u', roles: [] };
    const entry = entryOf({ content: 'le café de la gare' });
    // Divided by spaces, and no more: as it would have been.
    const written = await writeOf(entry);
    await engine.entries.transaction(principal, (transaction) => transaction.insert([written]));
    const asked = { mode: 'keyword', identifiers: { projectId: 'p' }, threshold: 0.5 } as const;
    const { results } = await lamina.as({ userId: 'u' }).search({ ...asked, query: 'café' });
    expect(results.map(({ memory }) => memory.id)).toEqual([entry.id]);
  } finally {
    await lamina.close();
    await removeFolder(folder);
  }
});

describe('with a multilingual model over HTTP', () => {
  it('a question in English finds what was said in any language, and nothing else passes', async () => {
    const server = await startMultilingualServer();
    const folder = await makeFolder();
    const embedder = openAiEmbedder({ baseUrl: server.baseUrl, apiKey: 'none', model: 'multilingual' });
    const lamina = await Lamina.open({ folder, embedder });
    try {
      for (const [language, said] of ALL) {
        const memory = lamina.as({ userId: language });
        const ids = await remember(memory, said);
        for (const [index, { question }] of LANGUAGES.English.entries()) {
          const { results } = await memory.search({ query: question, rank: 'relevance' });
          expect({ language, found: results.map(({ memory: { id } }) => id) }).toEqual({
            language,
            found: [ids[index]],
          });
        }
      }
      expect(server.texts).toContain(LANGUAGES.Thai[0]?.memory);
    } finally {
      await lamina.close();
      await removeFolder(folder);
      server.close();
    }
  });
});
