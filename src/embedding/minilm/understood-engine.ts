/**
 * The model without what it does not know. Every word that is not in its vocabulary, such as an emoji or a word in Thai, is the same to
 * it: the vectors of "🍕" and "🚗" are alike, and the more such words two texts have, the more they are alike. So these words are left
 * out, and a text of nothing else points anywhere: it resembles itself, and nothing else.
 */

import { createHash } from 'node:crypto';
import { unitVector } from '../unit-vector.ts';
import type { WordPiece } from '../word-piece.ts';
import type { Engine, Step } from './engine.ts';

const DIMENSIONS = 384;
const HASH_BYTES = 64;

/** Without a letter or a digit nothing is said. */
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

export function understoodEngine(engine: Engine, words: WordPiece): Engine {
  return {
    runtime: engine.runtime,
    plan: (texts, isFine) => {
      const understood: string[] = [];
      /** Where among all texts each of these stands. */
      const places: number[] = [];
      const steps: Step[] = [];
      for (const [place, text] of texts.entries()) {
        const known = words.knownIn(text);
        if (known === text || SAYS_SOMETHING.test(known)) {
          understood.push(known);
          places.push(place);
        } else {
          steps.push({ indexes: [place], run: async () => [anyDirection(text)] });
        }
      }
      for (const step of engine.plan(understood, isFine)) {
        steps.push({ indexes: step.indexes.map((index) => places[index] ?? index), run: () => step.run() });
      }
      return steps;
    },
  };
}

/** Always the same for a text, and at about a right angle to that of any other. */
function anyDirection(text: string): Float32Array {
  const values = new Int8Array(DIMENSIONS);
  for (let from = 0; from < DIMENSIONS; from += HASH_BYTES) {
    values.set(
      new Int8Array(
        createHash('sha512')
          .update(`${from} ${text.normalize('NFKC')}`)
          .digest(),
      ),
      from,
    );
  }
  return unitVector(values);
}
