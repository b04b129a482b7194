/** Reads a prompt back by its headings, as somebody would who knows nothing but the documentation. */

export interface ParsedPrompt {
  /** By heading, the lines after its note, each without its dash. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
  readonly message: string;
}

const HEADING = /^\[(Relevant Memory|Known Facts|Procedures|Working State|Recent Conversation)\]$/;

/** Throws for what is not a prompt of a turn. */
export function parsePrompt(prompt: string): ParsedPrompt {
  const lines = prompt.split('\n');
  const sections: Record<string, string[]> = {};
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at] === '[User Message]') return { sections, message: lines.slice(at + 1).join('\n') };
    const [, heading] = HEADING.exec(lines[at] ?? '') ?? [];
    if (heading === undefined || sections[heading]) throw new Error(`line ${at} is no heading: ${lines[at]}`);
    // The note.
    at += 2;
    const items: string[] = (sections[heading] = []);
    for (; lines[at] !== ''; at += 1) {
      if (!lines[at]?.startsWith('- ')) throw new Error(`line ${at} is no item: ${lines[at]}`);
      items.push(lines[at]?.slice(2) ?? '');
    }
  }
  throw new Error('there is no message');
}
