/**
 * What reads like a mark of a prompt between two brackets: a heading of the frame, or what sets turns apart in a chat template.
 * By rules and not by a list of all marks. Phrases are as `readerView` gives them. Pure.
 */

import { LAYERS, PERSONAL_LAYERS } from '../../domain/scope.ts';
import { MESSAGE_HEADING, SECTION_FRAMES } from '../../domain/turn-prompt.ts';

/** A heading has few words around it; a sentence in brackets may speak of one. In letters. */
const MAX_LETTERS = 80;

/** Whatever else stands between the letters of a word, a person still reads it. */
function lettersOf(text: string): string {
  return text.replace(/[^a-z]+/g, '');
}

const HEADINGS = [MESSAGE_HEADING, ...Object.values(SECTION_FRAMES).map(({ heading }) => heading)].map((heading) => ({
  letters: lettersOf(heading.toLowerCase()),
  isOneWord: !heading.includes(' '),
}));

/** It holds one; a heading of one word, which is a word like others, stands at its beginning or end. */
export function readsLikeHeading(phrase: string, isClosed: boolean): boolean {
  const letters = lettersOf(phrase);
  const beginning = letters.replace(/^(?:end)?(?:of)?/, '');
  const isShort = isClosed && letters.length <= MAX_LETTERS;
  return HEADINGS.some(
    ({ letters: heading, isOneWord }) =>
      beginning.startsWith(heading) ||
      (isShort && (isOneWord ? letters.startsWith(heading) || letters.endsWith(heading) : letters.includes(heading))),
  );
}

const CALLS = '(?:tool|function)s?(?:calls?|results?|responses?|outputs?|use|content)';

/** Who speaks, and what only a template says. */
const SPEAKERS = `system|sys|user|human|assistant|developer|inst|invoke|think(?:ing)?|gmask|modelsettings|availabletools|${CALLS}`;

/** In square brackets these are words like others. */
const ANGLED = `${SPEAKERS}|tools?|functions?|bos|eos|pad|unk|sop|eop|reserved|unused|extraid`;

/** What may stand beside them. */
const BESIDE =
  'the|this|new|next|actual|real|true|current|original|latest|my|your|begin|start|end|of|prompts?|messages?|instructions?|' +
  'reminder|inputs?|query|request|response|turn|role|header|text|seed|antml';

function nothingBut(speakers: string): RegExp {
  return new RegExp(`^(?:${BESIDE})*(?:${speakers})(?:${BESIDE}|${speakers})*$`);
}

const SQUARE_MARK = nothingBut(SPEAKERS);
const ANGLE_MARK = nothingBut(ANGLED);

/** Too short to be told by its letters alone; and the marks of Gemma, whatever they begin. */
const TOKEN = /^[\s/]{0,3}(?:s|(?:start|end)_of_\w{1,20})[\s/]{0,3}$/;

/** The phrase between brackets of this kind, both of which are there. */
export function readsLikeChatMark(phrase: string, open: '[' | '<'): boolean {
  if (open === '[') return consistsOf(SQUARE_MARK, phrase);
  const [tag = '', ...attributes] = phrase.split('=');
  const words = attributes.length === 0 ? tag : tag.replace(/\S+\s?$/, '');
  const name = tag.split(/\s/, 1)[0] ?? '';
  return TOKEN.test(phrase) || consistsOf(ANGLE_MARK, words) || consistsOf(ANGLE_MARK, name);
}

function consistsOf(mark: RegExp, text: string): boolean {
  const letters = lettersOf(text);
  return letters.length <= MAX_LETTERS && mark.test(letters);
}

const SHARED = LAYERS.filter((layer) => !PERSONAL_LAYERS.has(layer));

/** What stands in brackets of any kind before the first word that does not. */
const LEADING = /[^\p{L}\(\[\{<]*[\(\[\{<]([^\(\)\[\]\{\}<>]*)[\)\]\}>]?/vy;

/** Whether the text begins with something in brackets that names a layer of a group. */
export function readsLikeLayerMark(text: string): boolean {
  let at = 0;
  for (;;) {
    LEADING.lastIndex = at;
    const match = LEADING.exec(text);
    if (match === null) return false;
    const letters = lettersOf(match[1] ?? '');
    if (letters.length <= MAX_LETTERS && SHARED.some((layer) => letters.includes(layer))) return true;
    at += match[0].length;
  }
}
