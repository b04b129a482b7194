/**
 * What patterns of suspicious text are made of. They are matched against a text in small letters without accents; each gap in them is
 * bounded, so that no text takes long.
 */

/** Up to `count` words in between. */
export function words(count: number): string {
  return String.raw`[^a-z0-9]{1,8}(?:[a-z0-9'’]+[^a-z0-9]{1,8}){0,${count}}?`;
}

/** Letters are plain Latin ones there: classes of all letters take seconds to compile. */
export function pattern(source: string): RegExp {
  return new RegExp(source);
}

/** Verb, something about which, and what: each of them as the alternatives of a language. */
export function setsAside(verbs: string, which: string, what: string): RegExp {
  return pattern(String.raw`\b(?:${verbs})${words(3)}(?:${which})${words(3)}(?:${what})`);
}
