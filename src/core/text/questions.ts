/** Telling a question by how it ends, and what sort of thing a question asks for. */

/** With a quotation mark, a bracket or a space behind it, too. */
const ENDS_ASKING = /[?？؟][\s"'”’)]*$/u;

/** So many of the last characters tell it. */
const ENDING = 8;

export function isQuestion(text: string): boolean {
  return ENDS_ASKING.test(text.slice(-ENDING));
}

const ASKS_NAME = /^\W*(?:who|whom|whose|where|which)\b|\bnames?\b/iu;
const ASKS_NUMBER = /\bhow (?:many|much|old|often)\b/iu;

/** Somebody, some place or one of several; or a number. Undefined where neither is asked for. English. */
export function sortAskedFor(question: string): 'name' | 'number' | undefined {
  if (ASKS_NUMBER.test(question)) return 'number';
  return ASKS_NAME.test(question) ? 'name' : undefined;
}
