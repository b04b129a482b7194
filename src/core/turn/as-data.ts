/** Recalled text as a part of one line of a prompt, from which it cannot break out. Pure. */

import { MESSAGE_HEADING, SECTION_FRAMES } from '../../domain/turn-prompt.ts';
import { readerView, type Span } from './reader-view.ts';

/** Line breaks of every kind, other control characters, and spaces of every width. */
const GAPS = /[\p{Cc}\p{Zl}\p{Zp}\p{Zs}]+/gu;

/**
 * What cannot be seen: zero-width characters, marks of direction, tags. Text hides in them from people, not from models. The
 * joiners stay, without which some scripts and emoji fall apart, and so do the selectors of a variant.
 */
const INVISIBLE = /(?!\p{Join_Control}|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** Of one line, without anything that reads like a heading of the frame or like a mark of a chat template. */
export function asData(text: string): string {
  let safe = text.toWellFormed().replace(INVISIBLE, '').replace(GAPS, ' ').trim();
  // Brackets become parentheses, which no mark is made of: each time there are fewer left.
  for (let next = defused(safe); next !== safe; next = defused(safe)) safe = next;
  return safe;
}

/** What may stand between letters that a person still reads as one word. Bounded, and so is the time that it takes. */
const BETWEEN = String.raw`[[\s\p{P}\p{S}]--[\[\]<>]]{0,3}`;

function readingLike(heading: string): string {
  const letters = heading.toLowerCase().match(/[a-z]/g) ?? [];
  return letters.join(BETWEEN);
}

const HEADINGS = [MESSAGE_HEADING, ...Object.values(SECTION_FRAMES).map(({ heading }) => heading)];

/** As a beginning or as an end, perhaps with more behind it: `[User Message]`, `[ /user-message of Bob ]`. */
const HEADING = new RegExp(
  String.raw`([\[<])${BETWEEN}(?:end)?${BETWEEN}(?:of)?${BETWEEN}(?:${HEADINGS.map(readingLike).join('|')})(?![a-z])` +
    String.raw`(?:[^\[\]<>]{0,40}([\]>]))?`,
  'dgv',
);

/** What sets turns apart in ChatML, Llama, Mistral, Gemma, DeepSeek and their kin. */
const CHAT_MARKS = [
  /(<\s?\|)[^<>\|]{1,64}(\|\s?>)/dgv,
  /(<)[\s\/]{0,3}(?:s|bos|eos|pad|unk|sop|eop|(?:start|end)_of_\w{1,20})[\s\/]{0,3}(>)/dgv,
  /(<)[\s\/]{0,3}(?:system|assistant|system-reminder|function_calls|tool_calls?|tool_response|think|thinking)(?![\w\-])[^<>]{0,64}(>)/dgv,
  /(\[)[\s\/]{0,3}(?:inst|gmask|system_prompt|available_tools|tool_calls|tool_results|tool_content)\s?(\])/dgv,
  /(<<)[\s\/]{0,3}sys\s?(>>)/dgv,
];

/** Each delimiter of a mark becomes a parenthesis; what stands between stays as it was written. */
function defused(text: string): string {
  const view = readerView(text);
  const changes: { readonly span: Span; readonly by: string }[] = [];
  for (const mark of [HEADING, ...CHAT_MARKS]) {
    for (const { indices } of view.text.matchAll(mark)) {
      const [, open, close] = indices ?? [];
      if (open) changes.push({ span: view.written(open), by: '(' });
      if (close) changes.push({ span: view.written(close), by: ')' });
    }
  }
  const parts: string[] = [];
  let at = 0;
  for (const { span, by } of changes.toSorted((a, b) => a.span[0] - b.span[0])) {
    const [from, to] = span;
    // Two marks may share a delimiter.
    if (from < at) continue;
    parts.push(text.slice(at, from), by);
    at = to;
  }
  return parts.join('') + text.slice(at);
}
