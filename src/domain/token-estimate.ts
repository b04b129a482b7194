/**
 * How many tokens a text takes, without a vocabulary: an estimate that errs on the high side. Natural language counts by
 * letters and characters; anything else counts as its bytes in UTF-8, the most that it can take. Pure.
 */

/** A word of plain letters with the space before it, which vocabularies keep together; a run of one script; or one character. */
const PIECE =
  / ?[A-Za-z]+|\p{sc=Han}+|\p{sc=Hangul}+|[А-яё]+|[\u05d0-\u05ea\u0620-\u064a]+|[\u0900-\u097f\u0e01-\u0e4e\u3041-\u30ff]+|./gsu;

/** One in this many words or characters must be among the most frequent ones, or it is not natural language. */
const LANGUAGE_SHARE = 8;

/**
 * Frequent in English, German, French, Spanish, Italian and in code. No word of one consonant and one vowel: random text
 * has those too.
 */
const FREQUENT_WORDS: ReadonlySet<string> = new Set(
  (
    'the and that for was with not but are this have from had they which one you were all her his there would their ' +
    'him been has when who will more out what about than into them can only other your our how any just use user ' +
    'should must before after likes prefers works of is in it as on at or an if up its ' +
    'der die das und ist von mit für den ein eine nicht auf dem sich des auch aus bei nach wird im es ' +
    'les des est une que pour dans qui sur par elle plus pas et en un au il ' +
    'los las del por con para como che per non una sono della el ' +
    'const let return function import export async await new type string number null true false class public void def self'
  ).split(' '),
);

const FREQUENT_HAN =
  /[的一是不了人我在有他这为之大来以个中上们到说时要就出会可也你对生能而子那得于着下自年发用好学家天部行日作分本前同国無見今何東京気語円]/gu;
const FREQUENT_HANGUL = /[이다는을에의가고하지를은도로한사기서어으리인자대그수나시있습니]/gu;

/** `camelCase` and `HTTPServer` are split where a reader would split them. */
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** Made of syllables, like words; anything else is an abbreviation, a key or noise. */
const SYLLABLES = /^[^aeiouy]{0,3}(?:[aeiouy]{1,3}[^aeiouy]{1,4})*[aeiouy]{0,3}$/;
const VOWEL = /[aeiouy]/;
const CAPITALS = /^[A-Z]{4,}$/;
const MAX_WORD_LENGTH = 20;

/** Random letters switch between lower and upper case more often than any name does. */
const MIN_PART_LENGTH = 2.5;

const LETTERS_PER_TOKEN = 4;
const LETTERS_PER_UNKNOWN_TOKEN = 2;

const UTF8 = new TextEncoder();

/**
 * A line break is one token, and lines are independent: the estimate of a text is the sum of the estimates of its lines,
 * plus one for each break.
 */
export function estimateTokens(text: string): number {
  const lines = text.split('\n');
  return lines.reduce((sum, line) => sum + lineTokens(line), lines.length - 1);
}

function lineTokens(line: string): number {
  const words = line.match(/[A-Za-z]+/g) ?? [];
  const known = words.filter((word) => FREQUENT_WORDS.has(word.toLowerCase()));
  // Two-letter words also occur by chance.
  const weight = known.reduce((sum, { length }) => sum + (length > 2 ? 1 : 0.5), 0);
  const isFromLanguage = weight * LANGUAGE_SHARE >= words.length;
  let tokens = 0;
  for (const [piece] of line.matchAll(PIECE)) tokens += pieceTokens(piece, isFromLanguage);
  return tokens;
}

function pieceTokens(piece: string, isFromLanguage: boolean): number {
  const bytes = UTF8.encode(piece).length;
  if (/^ ?[A-Za-z]/.test(piece)) return wordTokens(piece.trimStart(), isFromLanguage);
  if (/^\p{sc=Han}/u.test(piece)) return isLanguage(piece, FREQUENT_HAN) ? 2 * lengthOf(piece) : bytes;
  if (/^\p{sc=Hangul}/u.test(piece)) return isLanguage(piece, FREQUENT_HANGUL) ? 2 * lengthOf(piece) : bytes;
  // Cyrillic; Hebrew and Arabic; Devanagari, Thai and Kana: what random letters of theirs take, more than any language does.
  if (/^[А-яё]/u.test(piece)) return Math.ceil((3 / 2) * lengthOf(piece));
  if (/^[\u05d0-\u05ea\u0620-\u064a]/u.test(piece)) return Math.ceil((7 / 4) * lengthOf(piece));
  if (/^[\u0900-\u097f\u0e01-\u0e4e\u3041-\u30ff]/u.test(piece)) return 2 * lengthOf(piece);
  return bytes;
}

function isLanguage(run: string, frequent: RegExp): boolean {
  return (run.match(frequent)?.length ?? 0) * LANGUAGE_SHARE >= lengthOf(run);
}

function lengthOf(text: string): number {
  return [...text].length;
}

function wordTokens(word: string, isFromLanguage: boolean): number {
  const parts = word.match(PART) ?? [];
  if (parts.length > 1 && word.length < parts.length * MIN_PART_LENGTH) return word.length;
  return parts.reduce((sum, part) => sum + partTokens(part, isFromLanguage), 0);
}

function partTokens(part: string, isFromLanguage: boolean): number {
  const letters = part.toLowerCase();
  const isWord = letters.length <= MAX_WORD_LENGTH && VOWEL.test(letters) && SYLLABLES.test(letters);
  if (!isWord) return part.length;
  if (isFromLanguage && !CAPITALS.test(part)) return Math.ceil(part.length / LETTERS_PER_TOKEN);
  return Math.ceil((part.length + 1) / LETTERS_PER_UNKNOWN_TOKEN);
}
