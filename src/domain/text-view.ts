/** A text in other characters, in which each unit maps back to its place in the original. Pure. */

/** A span in code units, end exclusive. */
export type Span = readonly [from: number, to: number];

export interface TextView {
  readonly text: string;
  /** The span in the original of something found in the view. */
  readonly written: (span: Span) => Span;
}

/** Character by character; each may become none, one or several. */
export function viewOf(text: string, shown: (char: string) => string): TextView {
  const parts: string[] = [];
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const char of text) {
    const part = shown(char);
    for (let unit = 0; unit < part.length; unit += 1) {
      from.push(at);
      to.push(at + char.length);
    }
    parts.push(part);
    at += char.length;
  }
  return { text: parts.join(''), written: ([first, end]) => [from[first] ?? at, to[end - 1] ?? at] };
}
