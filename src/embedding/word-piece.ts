/** Cuts texts into the word pieces that BERT-like models were trained on, as the reference tokenizer of BERT (uncased) does. */

import { readFile } from 'node:fs/promises';

/** Longer words become one unknown token. */
const LONGEST_WORD = 100;

/** Written out in a text, these are taken for the tokens themselves: case matters, and no space is needed. */
const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;

const ASCII = /^[\t\n\r\x20-\x7e]*$/;

/**
 * Control, format and private characters, but for the three that separate words, and what stands for no character.
 * Here and below, what Unicode added after its version 8 is taken by its category; the reference does not know it.
 * To the model a word with such a character is unknown either way.
 */
const NOISE = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\uFFFD]/gu;

const NONSPACING_MARKS = /\p{Mn}/gu;

/** Each of these is a word. The ranges are BERT's own, and leave kana and hangul out on purpose. */
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;

/** A punctuation mark, or the characters up to the next mark or space. ASCII symbols count as punctuation. */
const WORD = /[\p{P}$+<=>^`|~]|[^\p{P}$+<=>^`|~\p{White_Space}]+/gu;

/** Lower-case, without accents and noise. */
function normalised(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return (
    text
      .replace(NOISE, '')
      .replace(IDEOGRAPH, ' $& ')
      .normalize('NFD')
      .replace(NONSPACING_MARKS, '')
      // Alone and not by its place in the word, where JavaScript would write the final form.
      .replaceAll('Σ', 'σ')
      .toLowerCase()
  );
}

export class WordPiece {
  readonly #starts = new Map<string, number>();
  readonly #continuations = new Map<string, number>();
  readonly #unknown: number;
  readonly #first: number;
  readonly #last: number;

  /** Takes the vocabulary as it stands in `tokenizer.json`: pieces by their ids. */
  constructor(vocabulary: Readonly<Record<string, number>>) {
    for (const [piece, id] of Object.entries(vocabulary)) {
      if (piece.startsWith('##')) this.#continuations.set(piece.slice(2), id);
      else this.#starts.set(piece, id);
    }
    this.#unknown = this.#starts.get('[UNK]') ?? 0;
    this.#first = this.#starts.get('[CLS]') ?? 0;
    this.#last = this.#starts.get('[SEP]') ?? 0;
  }

  /** The ids of a text with those of its beginning and end; at most `limit` in all, the rest is cut off. */
  encode(text: string, limit: number): number[] {
    const ids = [this.#first];
    for (const part of text.split(SPECIAL)) {
      const special = SPECIAL.test(part) ? this.#starts.get(part) : undefined;
      if (special === undefined) this.#addWords(normalised(part), ids, limit);
      else ids.push(special);
    }
    ids.length = Math.min(ids.length, limit - 1);
    ids.push(this.#last);
    return ids;
  }

  /** The text without words that are unknown to the model; as it is where there are none. */
  knownIn(text: string): string {
    // Every ASCII character is a piece, so that hardly any such word is unknown.
    if (ASCII.test(text)) return text;
    let hasUnknown = false;
    const known = [...normalised(text).matchAll(WORD)].filter(([word]) => {
      const isKnown = this.#starts.has(word) || this.#isMadeOfPieces(word);
      hasUnknown ||= !isKnown;
      return isKnown;
    });
    return hasUnknown ? known.map(([word]) => word).join(' ') : text;
  }

  #isMadeOfPieces(word: string): boolean {
    const ids: number[] = [];
    this.#addPieces(word, ids);
    return ids[0] !== this.#unknown;
  }

  /** Stops after the word that reaches the limit. */
  #addWords(text: string, ids: number[], limit: number): void {
    for (const [word] of text.matchAll(WORD)) {
      if (ids.length >= limit) return;
      const id = this.#starts.get(word);
      if (id === undefined) this.#addPieces(word, ids);
      else ids.push(id);
    }
  }

  /** The longest piece that fits, again and again; a word that does not come out even is unknown as a whole. */
  #addPieces(word: string, ids: number[]): void {
    const begin = ids.length;
    if (word.length > LONGEST_WORD && [...word].length > LONGEST_WORD) {
      ids.push(this.#unknown);
      return;
    }
    for (let from = 0; from < word.length;) {
      const pieces = from === 0 ? this.#starts : this.#continuations;
      let to = word.length;
      let id: number | undefined;
      for (; to > from; to -= 1) if ((id = pieces.get(word.slice(from, to))) !== undefined) break;
      if (id === undefined) {
        ids.length = begin;
        ids.push(this.#unknown);
        return;
      }
      ids.push(id);
      from = to;
    }
  }
}

/** Reads a `tokenizer.json`. Its truncation and padding at 128 are not meant for this model, and ignored. */
export async function readWordPiece(path: string): Promise<WordPiece> {
  const { model } = JSON.parse(await readFile(path, 'utf8')) as { model: { vocab: Record<string, number> } };
  return new WordPiece(model.vocab);
}
