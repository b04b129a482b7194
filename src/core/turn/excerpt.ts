/** The passage of a long text that fits a question best, by its words: what is shown where all of it does not fit. Pure. */

import { lexemesOf } from '../text/lexemes.ts';

/** Shorter texts are shown whole or not at all. */
const LONG_CHARACTERS = 500;

/** A passage that is shorter tells too little. */
const LEAST_CHARACTERS = 130;

/** Where a sentence or a line ends. */
const ENDS = /(?<=\n|[.!?]\s|[。！？])/u;

/** Of what goes on without an end, parts of so many characters, between words where there are any. */
const PARTS = /.{1,120}(?:\s|$)|.{1,120}/gsu;

const ELLIPSIS = '…';

interface Sentence {
  readonly text: string;
  /** How often it has each of the words that it has. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Of at most so many characters, with an ellipsis where something is left out. Undefined where the text is short, or the room is. */
export function excerptOf(text: string, terms: ReadonlySet<string>, maxCharacters: number): string | undefined {
  if (text.length <= LONG_CHARACTERS || maxCharacters < LEAST_CHARACTERS) return undefined;
  const sentences = sentencesOf(text, terms);
  const room = maxCharacters - 2 * ELLIPSIS.length - 2;
  const [from, to] = widened(sentences, bestWindow(sentences, weightsOf(sentences), room), room);
  const passage = textOf(sentences, from, to).trim();
  if (passage === '') return undefined;
  const before = textOf(sentences, 0, from).trim() === '' ? '' : `${ELLIPSIS} `;
  const after = textOf(sentences, to).trim() === '' ? '' : ` ${ELLIPSIS}`;
  return `${before}${passage}${after}`;
}

function sentencesOf(text: string, terms: ReadonlySet<string>): Sentence[] {
  const parts = text.split(ENDS).flatMap((sentence) => sentence.match(PARTS) ?? []);
  return parts.map((part) => {
    const counts = new Map<string, number>();
    for (const lexeme of lexemesOf(part)) if (terms.has(lexeme)) counts.set(lexeme, (counts.get(lexeme) ?? 0) + 1);
    return { text: part, counts };
  });
}

/** What few sentences of the text have tells more than what most of them have. */
function weightsOf(sentences: readonly Sentence[]): ReadonlyMap<string, number> {
  const frequencies = new Map<string, number>();
  for (const { counts } of sentences) {
    for (const term of counts.keys()) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  }
  return new Map([...frequencies].map(([term, frequency]) => [term, Math.log(1 + sentences.length / frequency)]));
}

/**
 * Sentences from and to, which say the most of what was asked. Of windows that say as much, the one that begins with it: what is
 * told stands after what it is about more often than before. Where nothing was asked for by its words, the beginning.
 */
function bestWindow(
  sentences: readonly Sentence[],
  weights: ReadonlyMap<string, number>,
  room: number,
): readonly [from: number, to: number] {
  const window = new Window(weights);
  let best: readonly [from: number, to: number] = [0, 0];
  let [most, to, length] = [0, 0, 0];
  // The window is moved through the text, so that the time grows with the length and nothing else.
  for (const [from, first] of sentences.entries()) {
    for (let next = sentences[to]; next !== undefined && length + next.text.length <= room; next = sentences[to]) {
      window.count(next, 1);
      [to, length] = [to + 1, length + next.text.length];
    }
    const isBetter = first.counts.size > 0 && window.worth >= most - ROUNDING;
    if (from === 0 || isBetter) [best, most] = [[from, to], window.worth];
    // One that is longer than the room was never in it.
    if (to <= from) {
      to = from + 1;
      continue;
    }
    window.count(first, -1);
    length -= first.text.length;
  }
  return best;
}

/** More than what adding and taking away leaves of a sum. */
const ROUNDING = 1e-9;

/** What the sentences between two places say of what was asked. */
class Window {
  worth = 0;
  readonly #weights: ReadonlyMap<string, number>;
  readonly #counts = new Map<string, number>();

  constructor(weights: ReadonlyMap<string, number>) {
    this.#weights = weights;
  }

  /** Adds a sentence, or takes it away again. */
  count({ counts }: Sentence, sign: 1 | -1): void {
    for (const [term, count] of counts) {
      const before = this.#counts.get(term) ?? 0;
      const after = before + sign * count;
      this.#counts.set(term, after);
      // A word that is there again adds less.
      this.worth += (this.#weights.get(term) ?? 0) * (after / (after + 1) - before / (before + 1));
    }
  }
}

/** With what stands before it, as far as there is room: towards the end of a text there may be some. */
function widened(
  sentences: readonly Sentence[],
  [from, to]: readonly [from: number, to: number],
  room: number,
): readonly [from: number, to: number] {
  let begin = from;
  let left = room - textOf(sentences, from, to).length;
  while (begin > 0 && (sentences[begin - 1]?.text.length ?? 0) <= left) {
    begin -= 1;
    left -= sentences[begin]?.text.length ?? 0;
  }
  return [begin, to];
}

function textOf(sentences: readonly Sentence[], from: number, to?: number): string {
  return sentences
    .slice(from, to)
    .map(({ text }) => text)
    .join('');
}
