/** What a turn tells, by how it is written: names and titles, news, numbers, or no more than that one has heard. Mostly English. */

/** A word with a capital letter within a sentence, or a quotation mark. */
const NAMED = /(?<=[\p{Ll},] )\p{Lu}\p{Ll}|["“„«]/gu;

/** So many are as good as more. */
const AMPLE_NAMES = 2;

/** How much a text names, between 0 and 1. */
export function naming(text: string): number {
  let count = 0;
  NAMED.lastIndex = 0;
  while (count < AMPLE_NAMES && NAMED.exec(text) !== null) count += 1;
  return count / AMPLE_NAMES;
}

const NEWS = /\b(?:yesterday|today|tonight|tomorrow|last|next|ago|recently|just|weekend|since)\b/i;

/** Whether a text has words of what has happened of late, or soon will. */
export function isNews(text: string): boolean {
  return NEWS.test(text);
}

const DIGIT = /\p{Nd}/u;
const NUMBER =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|both|few|couple|dozen|once|twice)\b/i;

/** Whether there is a number in a text. */
export function isNumbered(text: string): boolean {
  return DIGIT.test(text) || NUMBER.test(text);
}

const REACTS =
  /^\W*(?:thanks|thank you|wow|congrats|congratulations|that['’]s|that sounds|sounds|cool|awesome|glad|great|nice|aw+)\b/iu;

/** Whether a text begins as those do that answer with no more than that one has heard. */
export function isReaction(text: string): boolean {
  return REACTS.test(text);
}
