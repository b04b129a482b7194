/** Finding secrets: private keys, tokens of known shapes, and stated or assigned passwords. Pure. */

import { assignedSpans } from './redaction-assignments.ts';
import { kindOfName } from './redaction-names.ts';
import type { Span } from './text-view.ts';

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----/g;
const KEY_END = '-----END ';

/** Tokens with a known prefix, and tokens with a structure of their own (JWT). */
const TOKEN = new RegExp(
  [
    // OpenAI, Anthropic and similar keys; Stripe; GitHub; GitLab; Slack; npm; PyPI; Hugging Face; SendGrid; webhooks of Slack.
    'sk-[A-Za-z0-9_-]{16,400}',
    '(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,200}',
    'gh[opusr]_[A-Za-z0-9]{20,255}',
    'github_pat_[A-Za-z0-9_]{20,255}',
    'glpat-[A-Za-z0-9_-]{16,255}',
    'xox[abeoprs]-[A-Za-z0-9-]{10,255}',
    'npm_[A-Za-z0-9]{20,255}',
    'pypi-[A-Za-z0-9_-]{16,400}',
    'hf_[A-Za-z0-9]{20,255}',
    'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,128}',
    'https://hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{8,200}',
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

/** `Authorization: Bearer …`, and the password in `https://user:password@host`: up to the last @ before the path. */
const BEARER = /\bBearer {1,4}(?<value>[A-Za-z0-9._~+/=-]{8,8192})/gi;
const BASIC = /\bBasic {1,4}(?<value>[A-Za-z0-9+/]{4,1024}={0,2})/gi;
const CREDENTIALS = /:\/\/[^\s/:@]{0,256}:(?<value>[^\s/"<>]{1,256})@/g;

/** "My password is hunter2", "the password for prod is hunter2". */
const SAID =
  /(?<![\p{L}])(?<name>password|passwort|kennwort|passphrase|passwd|pwd|pw|pin|ssn|api key|token|secret)(?: (?:for|of|to|on|at|für|von)(?: [^\s:=]{1,40}){1,3}?(?= (?:is|ist|was) ))?(?: is| ist| was)? {1,4}(?:is )?["'`]?(?<value>[^\s"'`,;]{1,256})/giu;

/** Ways to store a password, not a password. */
const METHOD = /^(?:sha|md|utf|oauth|argon|base|pbkdf|hs|rs|es|ps|http|ipv|v)-?\d/i;

/** What an earlier redaction left. */
const PLACEHOLDER = /^\[(?:email|phone|card|secret)\]/;

/** In order, without overlaps. */
export function secretSpans(text: string): Span[] {
  const spans = [
    ...privateKeys(text),
    ...[...text.matchAll(TOKEN)].map(({ index, 0: { length } }): Span => [index, index + length]),
    ...valuesOf(text, BEARER, ({ value }) => /\d|[a-z][A-Z]|.{20}/.test(value ?? '')),
    ...valuesOf(text, BASIC, ({ value }) => isPairOfCredentials(value ?? '')),
    ...valuesOf(text, CREDENTIALS, () => true),
    ...assignedSpans(text),
    ...valuesOf(text, SAID, ({ name, value }) => isSecretSaid(name ?? '', value ?? '')),
  ].filter(([from, to]) => !PLACEHOLDER.test(text.slice(from, to)));
  return merged(spans);
}

/** To their end marker, or to the end of the text if that is missing. */
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

type Groups = Readonly<Record<string, string | undefined>>;

/** The span of the value: the end of the match, except for the @ after the password in a URL. */
function valuesOf(text: string, pattern: RegExp, isOne: (groups: Groups) => boolean): Span[] {
  return [...text.matchAll(pattern)].flatMap(({ index, 0: match, groups = {} }): Span[] => {
    if (!isOne(groups)) return [];
    const to = index + match.length - (pattern === CREDENTIALS ? 1 : 0);
    return [[to - (groups['value'] ?? '').length, to]];
  });
}

/** "Basic authentication" has the same form; only what decodes to user:password is a credential. */
function isPairOfCredentials(value: string): boolean {
  try {
    return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(atob(value));
  } catch {
    return false;
  }
}

/** Not a plain word or a small number: a password may also be "required", and a token the fifth of a sentence. */
function isSecretSaid(name: string, value: string): boolean {
  const kind = kindOfName(name);
  const bare = value.replace(/[.,;:!?)]+$/, '');
  if (kind === 'digits') return /^(?:\d{4,9}|\d{3}-\d{2}-\d{4})$/.test(bare);
  if (kind === 'password' && /^\d{4,}$/.test(bare)) return true;
  if (METHOD.test(bare) || bare.length < 4 || !/\p{L}/u.test(bare)) return false;
  return /\d|[!@#$%^&*]\p{L}/u.test(bare);
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
