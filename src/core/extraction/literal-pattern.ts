/** A text as a part of a regular expression that matches just it. Pure. */

export function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
