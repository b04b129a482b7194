/** Finding secrets: private keys, tokens of known shapes, and what is said or assigned to be a password. Pure. */

import type { Span } from './redaction-numbers.ts';

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----/g;
const KEY_END = '-----END ';

/** Tokens that are known by how they begin, and tokens that carry their own structure (JWT). */
const TOKEN = new RegExp(
  [
    // OpenAI, Anthropic and those that write keys like them; Stripe; GitHub; GitLab; Slack; npm; PyPI; Hugging Face.
    'sk-[A-Za-z0-9_-]{16,400}',
    '(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,200}',
    'gh[opusr]_[A-Za-z0-9]{20,255}',
    'github_pat_[A-Za-z0-9_]{20,255}',
    'glpat-[A-Za-z0-9_-]{16,255}',
    'xox[abeoprs]-[A-Za-z0-9-]{10,255}',
    'npm_[A-Za-z0-9]{20,255}',
    'pypi-[A-Za-z0-9_-]{16,400}',
    'hf_[A-Za-z0-9]{20,255}',
    // Amazon, Google, and a key of Lamina itself.
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'AIza[A-Za-z0-9_-]{35}',
    'ya29\\.[A-Za-z0-9_-]{20,400}',
    'lam_[A-Za-z0-9_-]{43}_[A-Za-z0-9_-]{43}',
    'eyJ[A-Za-z0-9_-]{8,4096}\\.[A-Za-z0-9_-]{8,8192}\\.[A-Za-z0-9_-]{0,4096}',
  ]
    .map((shape) => `(?<![A-Za-z0-9_-])${shape}`)
    .join('|'),
  'g',
);

/** `Authorization: Bearer …`, and the password in `https://user:password@host`. */
const BEARER = /\b(?:Bearer|Basic) {1,4}(?<value>[A-Za-z0-9._~+/=-]{8,8192})/g;
const CREDENTIALS = /:\/\/[^\s/:@]{0,256}:(?<value>[^\s/@]{1,256})@/g;

const NAMES =
  '(?:password|passwd|passphrase|pwd|secret|token|api[_.\\- ]?key|access[_.\\- ]?key|private[_.\\- ]?key|credentials?)';
const VALUE = '(?:"(?<double>[^"\\n]{1,1024})"|\'(?<single>[^\'\\n]{1,1024})\'|(?<bare>[^\\s"\',;]{1,1024}))';

/** `password=…`, `"api_key": "…"`, `DB_PASSWORD: …`. */
const ASSIGNED = new RegExp(`(?<![\\p{L}])${NAMES}["']? {0,4}(?::=|=>|[:=]) {0,4}${VALUE}`, 'giu');

/** "My password is hunter2": only what no plain word is, because a password may also be "required". */
const SAID = new RegExp(
  `(?<![\\p{L}])(?:password|passphrase|pwd|pin|api key|token|secret)(?: is|:)? {1,4}(?:is )?${VALUE}`,
  'giu',
);

/** What an earlier redaction left. */
const PLACEHOLDER = /^\[(?:email|phone|card|secret)\][.,;:!?)]*$/;

/** In order, without overlaps. */
export function secretSpans(text: string): Span[] {
  const spans = [
    ...privateKeys(text),
    ...[...text.matchAll(TOKEN)].map(({ index, 0: { length } }): Span => [index, index + length]),
    ...valuesOf(text, BEARER),
    ...valuesOf(text, CREDENTIALS),
    ...valuesOf(text, ASSIGNED),
    ...valuesOf(text, SAID).filter(([from, to]) => isNoPlainWord(text.slice(from, to))),
  ].filter(([from, to]) => !PLACEHOLDER.test(text.slice(from, to)));
  return merged(spans);
}

/** To their end, or to the end of the text where that is missing. */
function privateKeys(text: string): Span[] {
  const spans: Span[] = [];
  for (const { index } of text.matchAll(KEY_BEGIN)) {
    if (index < (spans.at(-1)?.[1] ?? 0)) continue;
    const end = text.indexOf(KEY_END, index);
    const line = end === -1 ? -1 : text.indexOf('-----', end + KEY_END.length);
    spans.push([index, line === -1 ? text.length : line + '-----'.length]);
    if (line === -1) break;
  }
  return spans;
}

/** Where the value stands, without quotes around it. */
function valuesOf(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map(({ index, 0: match, groups }): Span => {
    const { value, double, single, bare } = groups ?? {};
    const isQuoted = double !== undefined || single !== undefined;
    const found = value ?? double ?? single ?? bare ?? '';
    // It stands at the end of the match, but for a quote, or the @ after the password of an address.
    const tail = isQuoted || match.endsWith('@') ? 1 : 0;
    const to = index + match.length - tail;
    return [to - found.length, to];
  });
}

function isNoPlainWord(text: string): boolean {
  return !/^\p{L}*[.,;:!?)]*$/u.test(text);
}

function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last === undefined || from >= last[1]) result.push([from, to]);
    else result[result.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return result;
}
