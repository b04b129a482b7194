/** Whether a text says anything: spaces and characters that show nothing, such as a joiner alone, do not. Pure. */

const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

export function hasText(text: string): boolean {
  return VISIBLE.test(text);
}
