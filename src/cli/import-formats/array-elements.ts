/** Cuts a JSON list that comes in pieces into its elements, holding one of them at a time. Pure. */

interface Element {
  readonly text: string;
  /** False for the last one of a list that is cut short. */
  readonly isWhole: boolean;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

export async function* arrayElements(chunks: AsyncIterable<string>): AsyncGenerator<Element, void> {
  const cutter = new Cutter();
  for await (const chunk of chunks) {
    for (const text of cutter.take(chunk)) if (text.trim() !== '') yield { text, isWhole: true };
  }
  const { rest, isOpen } = cutter;
  if (isOpen) yield { text: rest, isWhole: false };
}

class Cutter {
  rest = '';
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  *take(chunk: string): Generator<string, void> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (this.#isText) this.#readText(code);
      else if (code === QUOTE) this.#isText = true;
      else if (OPENING.has(code)) {
        this.#depth += 1;
        if (this.#depth === 1) from = at + 1;
      } else if (CLOSING.has(code) || code === COMMA) {
        const isEnd = this.#depth === 1;
        if (code !== COMMA) this.#depth -= 1;
        if (!isEnd) continue;
        yield this.rest + chunk.slice(from, at);
        this.rest = '';
        from = at + 1;
      }
    }
    if (this.isOpen) this.rest += chunk.slice(from);
  }

  #readText(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) this.#isText = false;
  }
}
