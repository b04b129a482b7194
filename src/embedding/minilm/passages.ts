/** Texts that are longer than the model's window, read passage by passage. */

import { unitVector } from '../unit-vector.ts';

/** Characters that fit into the window of 256 tokens, of ordinary English and with some to spare. */
const PASSAGE = 900;

/** A passage takes 35 ms, and ten times that in WebAssembly: what stands behind the last one is found by its words only. */
const MAX_PASSAGES = 8;

/** The beginning tells what a text is about more often than any other part of it, and so counts twice. */
const WEIGHT_OF_FIRST = 2;

/** The text as it is where it fits; else parts of about the same length, which begin with a line or at least with a word. */
export function passagesOf(text: string): string[] {
  const whole = text.slice(0, PASSAGE * MAX_PASSAGES);
  const count = Math.ceil(whole.length / PASSAGE);
  if (count <= 1) return [text];
  const passages: string[] = [];
  for (let place = 1, from = 0; place <= count; place += 1) {
    const to = place === count ? whole.length : boundary(whole, from, Math.round((whole.length / count) * place));
    // A cut between two halves of a character leaves none of it.
    passages.push(whole.slice(from, to).toWellFormed());
    from = to;
  }
  const told = passages.filter((passage) => passage.trim() !== '');
  return told.length === 0 ? [''] : told;
}

/** Where the passage that begins at `from` ends: with a line where that does not make it much shorter, else with a word. */
function boundary(text: string, from: number, to: number): number {
  const line = text.lastIndexOf('\n', to);
  if (line > from + (to - from) * 0.6) return line;
  const word = text.lastIndexOf(' ', to);
  return word > from ? word : to;
}

/** What a text means whose passages mean this. */
export function meaningOf(passages: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = passages;
  if (others.length === 0) return first;
  return unitVector(
    first.map((value, index) => others.reduce((sum, vector) => sum + (vector[index] ?? 0), value * WEIGHT_OF_FIRST)),
  );
}
