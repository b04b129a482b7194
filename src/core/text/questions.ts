/** Telling a question by how it ends. */

/** With a quotation mark, a bracket or a space behind it, too. */
const ENDS_ASKING = /[?？؟][\s"'”’)]*$/u;

export function isQuestion(ending: string): boolean {
  return ENDS_ASKING.test(ending);
}
