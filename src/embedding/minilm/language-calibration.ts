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

/**
 * Words by which English is told from other languages in the same letters. To take English for something else hides what answers, and
 * the other way round only shows more than that: so a word counts on either side only where the other hardly has it. What is a
 * word on both sides, as `am` and `hat`, and single letters are in no list.
 */
const ENGLISH_WORDS = wordSet(
  'about after and any anything are because been before by but can could did does ever favorite favourite for from get had has have her his how if it its like me might much my not of or our she should so some than that the their them then there these they this those us we were what when where which who whose why will with would you your',
);
const FOREIGN_WORDS = wordSet(
  // German, Dutch
  'aber auch auf bei das dem der dich diese ein eine einen für gestern haben heute ich ihr immer kein keine mein meine meinem meinen meiner mich morgen nach nicht noch oder sehr sie sind und uns unser unsere vor wann warum welche welchen wem wer wie wir wird wurde zu zum zur deze een geen haar hebben heeft het hier hij ik maar mijn naar niet ons onze ook voor waar wanneer wat welke zij zijn',
  // French, Spanish, Portuguese, Italian
  'aussi avec cette chez dans être leur mais notre nous où quand que quel quelle qui quoi ses sont très une votre vous ayer cuál cuándo cuando dónde donde está esta este hoy más muy nuestra nuestro pero por porque qué quién quien soy también tengo tiene una uno à ao às é hoje meu minha não nós onde ontem pela pelo quem são seu sua uma abbiamo alle anche dei della è gli ieri nella nel oggi perché più quale quando questa questo sono',
  // Swedish, Norwegian, Danish, Polish, Turkish
  'är efter eller ett för från hur hvem hvor ikke inte jag jeg mycket när och också på vår vem vilken bardzo czy gdzie jaki jestem kiedy kto mnie moja moje mój nie się są tylko wczoraj benim bir çok daha değil gibi hangi için kadar nasıl nerede sonra zaman',
);
/** Words of other languages that English texts have in names or as abbreviations, or seldom as words. One alone says nothing. */
const SHARED_WORDS = wordSet(
  'al alla als att au aus aux av bu ce che chi com como cosa da de del den des det di die din dos du el ella elle em en er es est et eu har ho il ile im io ist jak je kim la las le les lo los ma mes mi mia mig mio mis mit mitt na ne od og om op os ou para pas sa se som su sur sus te tu un van var ve vi von wo yo za',
);

/** A letter that English hardly has; a single one may stand in a name. */
const ACCENTED = /[\u00c0-\u024f]/u;
const FEW_WORDS = 3;

/** Somewhere behind the first word: there are names in it, or it is German, which has clearer signs. */
const HAS_NAMES = /\S\s+\p{Lu}/u;

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
  const countIn = (list: ReadonlySet<string>): number => new Set(words.filter((word) => list.has(word))).size;
  const [english, foreign, shared] = [countIn(ENGLISH_WORDS), countIn(FOREIGN_WORDS), countIn(SHARED_WORDS)];
  const isTold = foreign > 0 || (shared > 1 && !HAS_NAMES.test(text));
  const difference = isTold ? 2 * foreign + shared - 2 * english : 0;
  if (difference !== 0) return difference < 0;
  const accented = words.filter((word) => ACCENTED.test(word)).length;
  return english > 0 || words.length < FEW_WORDS || accented * 3 < words.length;
}
