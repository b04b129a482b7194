/** A text in other characters, each unit of which knows where it stands in the text as written. Pure. */

/** From here up to there, in code units. */
export type Span = readonly [from: number, to: number];

export interface TextView {
  readonly text: string;
  /** Where something that was found in the view stands in the text as written. */
  readonly written: (span: Span) => Span;
}

/** Character by character, each as none, one or several. */
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
