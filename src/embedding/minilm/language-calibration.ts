/**
 * How alike the local model finds unrelated texts, by the language that they are in. It was made for English. Of other languages it
 * recognises little more than which one it is, so that any two texts in it are alike: in German by 0.4, in Greek by 0.7. What two texts
 * have in common shows in how far they are above that.
 */

import type { Calibration } from '../../ports/embedder.ts';

/**
 * Measured with `measureCalibration` on this model: all 2,016 pairs of the 64 generic sentences. The median is
 * 0.036, and one pair in a hundred is above 0.258. A test measures it again.
 */
const ENGLISH: Calibration = { mean: 0.0444, deviation: 0.0761 };

/**
 * This and those below: means of all pairs of sentences within a language (`bench/languages/unrelated-sentences.ts`), here of nine. The
 * deviations are half of what was measured: what answers a question is eight of them above chance in English, and only four in others.
 */
const OTHER_LATIN: Calibration = { mean: 0.47, deviation: 0.043 };

interface Script {
  readonly letter: RegExp;
  readonly calibration: Calibration;
}

const KANA: Script = {
  letter: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  calibration: { mean: 0.46, deviation: 0.03 },
};

const SCRIPTS: readonly Script[] = [
  { letter: /\p{Script=Cyrillic}/gu, calibration: { mean: 0.62, deviation: 0.035 } },
  { letter: /\p{Script=Greek}/gu, calibration: { mean: 0.73, deviation: 0.03 } },
  { letter: /\p{Script=Arabic}/gu, calibration: { mean: 0.69, deviation: 0.03 } },
  { letter: /\p{Script=Hebrew}/gu, calibration: { mean: 0.53, deviation: 0.045 } },
  { letter: /\p{Script=Devanagari}/gu, calibration: { mean: 0.74, deviation: 0.035 } },
  // Few of its signs are known, and what is left of a sentence may be anything.
  { letter: /\p{Script=Han}/gu, calibration: { mean: 0.45, deviation: 0.07 } },
  { letter: /\p{Script=Hangul}/gu, calibration: { mean: 0.65, deviation: 0.04 } },
];

/** Of a script that was not measured: like those that were, of which the model knows the letters but not the words. */
const OTHER_SCRIPT: Calibration = { mean: 0.7, deviation: 0.04 };

/** Words by which English is told from other languages in the same letters; some are words in several. */
const ENGLISH_WORDS = wordSet(
  'a about an and any are at be by can did do does for from had has have he her his how i if in is it its like me my no not of on or our she should so that the their them there they this to was we were what when where which who whose why will with would you your',
);
const FOREIGN_WORDS = wordSet(
  // German, Dutch
  'aber als am auf aus bei bin das dem den der des die du ein eine einen er es für hat ich ihr im in ist man mein meine mit nicht noch nach oder sie sind und uns von vor wann war warum was welche welchen wem wen wer wie wir wo zu zum zur de een en heeft het hij hoe ik is je mijn naar niet om ons op te van voor waar wanneer wat welke wie zij zijn',
  // French, Spanish, Portuguese, Italian
  'au aux avec ce comment dans des du elle en est et il je la le les leur ma mes mon ne nous où par pas pour quand que quel quelle qui quoi sa ses son sont sur tu un une vous al como con cuál cuándo cuando de del dónde donde el ella es está la las los mi mis muy no para pero por qué que quién quien se son su sus un una y yo a à as ao com da do dos e é em eu meu minha na não no o onde os ou para quem são seu sua um uma alla che chi come con cosa da dei della di dove è gli ho il io lo mia mio nel non per perché quando quale sono su un una',
  // Swedish, Norwegian, Danish, Polish, Turkish
  'är att av den det din du ett för från har hur hvem hvor i ikke inte jag jeg med men mig min mitt när och og om på som til till var vem vi vilken czy do gdzie jak jaki jest kiedy kto ma moja moje mój na nie o od po się są to u w z za bir bu da de değil hangi için ile kim mi ne nerede nasıl ve var zaman',
);

/** A letter that English hardly has; a single one may stand in a name. */
const ACCENTED = /[\u00c0-\u024f]/u;
const FEW_WORDS = 3;

function wordSet(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.split(' ')));
}

/** For what is asked in the language of this text; of English where it says nothing of its language. */
export function languageCalibration(text = ''): Calibration {
  const letters = countOf(text, /\p{L}/gu);
  const latin = countOf(text, /\p{Script=Latin}/gu);
  if (latin * 2 >= letters) return isEnglish(text) ? ENGLISH : OTHER_LATIN;
  // They stand between signs that Chinese has too, and tell that it is Japanese.
  if (countOf(text, KANA.letter) > 0) return KANA.calibration;
  const counted = SCRIPTS.map(({ letter, calibration }) => ({ count: countOf(text, letter), calibration }));
  const [most] = counted.toSorted((a, b) => b.count - a.count);
  return most !== undefined && most.count > 0 ? most.calibration : OTHER_SCRIPT;
}

function countOf(text: string, letter: RegExp): number {
  return text.match(letter)?.length ?? 0;
}

function isEnglish(text: string): boolean {
  // Without endings such as those of "I've" and "we'll", which are words elsewhere.
  const words =
    text
      .toLowerCase()
      .replaceAll(/['’]\p{L}+/gu, ' ')
      .match(/\p{L}+/gu) ?? [];
  const english = words.filter((word) => ENGLISH_WORDS.has(word)).length;
  const foreign = words.filter((word) => FOREIGN_WORDS.has(word)).length;
  if (foreign !== english) return english > foreign;
  const accented = words.filter((word) => ACCENTED.test(word)).length;
  return words.length < FEW_WORDS || accented * 3 < words.length;
}
