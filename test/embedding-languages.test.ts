/** What similarity is worth under the local model, by the language of a text. */

import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { UNRELATED_SENTENCES } from '../bench/languages/unrelated-sentences.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { calibrationOf } from '../src/embedding/calibration.ts';
import { GENERIC_SENTENCES } from '../src/embedding/generic-sentences.ts';
import { languageCalibration } from '../src/embedding/minilm/language-calibration.ts';
import { MiniLmEmbedder } from '../src/embedding/minilm/minilm-embedder.ts';
import { untilTestEnds } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const ENGLISH = languageCalibration();
const LATIN = languageCalibration('Wo wohnt meine Schwester?');

describe('the language of a text', () => {
  it.each([
    ...GENERIC_SENTENCES,
    'Where is my résumé?',
    "Nah, I haven't. I've been busy",
    'café menu',
    'José',
    'Kubernetes on AWS',
    // Words that other languages have too, in names, as abbreviations or as other words.
    'Am I vegetarian?',
    'e-mail address',
    'son birthday',
    'price per night',
    'World War II books',
    'LA trip',
    'Los Angeles hotel',
    'El Paso to La Jolla',
    'Juan de la Vega contact',
    '3 pm EST call',
    'MIT degree',
    "men's hat size",
    '',
    '42',
    '👍',
  ])('is English: %s', (text) => {
    expect(languageCalibration(text)).toBe(ENGLISH);
  });

  it.each([
    'Wie heißt meine Frau?',
    'Was ist in der Tasche?',
    '¿Dónde vivo?',
    'el perro de la casa',
    'qual é o meu email',
    'Où est la clé ?',
    'Benim köpeğim nerede?',
  ])('is another one in Latin letters: %s', (text) => {
    expect(languageCalibration(text)).toBe(LATIN);
  });

  it.each([
    ['Где ключ от Lamina?', 'Кто оставил окно открытым?'],
    ['角のパン屋は六時', 'コンサート'],
    ['谁没关窗户', '街角的面包店'],
    ['Ποιος είναι;', 'Η συναυλία'],
  ])('is told by the letters that most of it is in: %s', (one, other) => {
    expect(languageCalibration(one)).toBe(languageCalibration(other));
    expect([ENGLISH, LATIN]).not.toContain(languageCalibration(one));
  });
});

describe('similarity in other languages', () => {
  const model = new MiniLmEmbedder();
  afterAll(() => model.close());

  it.each(Object.entries(UNRELATED_SENTENCES))(
    'of unrelated texts is what it is taken for: %s',
    async (_, sentences) => {
      const measured = calibrationOf(await model.embed(sentences));
      const { mean } = languageCalibration(sentences.join(' '));
      expect(Math.abs(measured.mean - mean)).toBeLessThan(0.12);
    },
  );

  it('leaves English questions their answers', async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    const memory = untilTestEnds(await Lamina.open({ folder })).as({ userId: 'u-1' });
    const notes = [
      'I stopped eating meat last year',
      'My wife is called Anna',
      'Tim, my boy, was born on 3 May',
      'The hotel costs 90 euros for each night',
      'The router stands behind the sofa',
    ];
    await memory.addMany(notes.map((content) => ({ content, layer: 'user' as const })));
    for (const query of ['Am I vegetarian?', 'Am I married?', 'son birthday', 'price per night']) {
      const { results } = await memory.search({ query });
      expect(results.length, query).toBeGreaterThan(0);
    }
  });

  it('makes no answer of what has nothing to do with the question', async () => {
    const folder = await makeFolder();
    onTestFinished(() => removeFolder(folder));
    const lamina = untilTestEnds(await Lamina.open({ folder, embedder: model }));
    const memory = lamina.as({ userId: 'u-1' });
    const notes = [
      'Unser Hund hat Angst vor Donner.',
      'Der Zug ans Meer fährt um sieben Uhr ab.',
      'Freitags spiele ich Schach.',
    ];
    await memory.addMany(notes.map((content) => ({ content, layer: 'user' as const })));
    const { results } = await memory.search({ query: 'Wovor hat der Hund Angst?' });
    expect(results.map(({ memory: { content } }) => content)).toEqual(notes.slice(0, 1));
  });
});
