/** What the name of a field or a variable says about its value: `dbPassword`, `API_KEY`, `phone number`. Pure. */

/**
 * `password` may be several words; `secret` is one word, a token or a key; `digits` is a secret only if it consists of
 * digits, because a pin may also be that of a connector.
 */
export type NamedKind = 'password' | 'secret' | 'digits' | 'phone' | 'card';

/** Only the end of a name is examined, which bounds the time. */
const MAX_NAME = 64;

const PASSWORD = /(?:password|passwort|kennwort|passwd|passphrase|passcode)$|^(?:pwd|pw)$/;
const SECRET = /(?:token|secret)$|^(?:pass|credentials?|(?:api|access|account|private|secret)key)$/;
const KEYS = new Set(
  'access account api auth client encryption master private secret service shared signing'.split(' '),
);
/** `max_token` is an amount, not a token. */
const AMOUNTS = new Set('max min maximum minimum num number total per next last first'.split(' '));
const DIGITS = new Set('pin cvv cvc ssn'.split(' '));
const PHONE =
  /^(?:phones?|(?:tele|mobile|home|work)phones?|tel|telefon|telefonnummer|mobile|mobil|handy|cell|fax|whatsapp)$/;
const CARD = /^(?:cards?|creditcards?|cardnumber|pan|kreditkarte)$/;
const NUMBER = /^(?:number|numbers|no|nr|num|nummer)$/;

export function kindOfName(name: string): NamedKind | undefined {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  if (PASSWORD.test(last)) return 'password';
  if (last === 'key' ? KEYS.has(before) : SECRET.test(last) && !AMOUNTS.has(before)) return 'secret';
  if (DIGITS.has(last)) return 'digits';
  const thing = NUMBER.test(last) ? before : last;
  if (PHONE.test(thing)) return 'phone';
  return CARD.test(thing) || (thing === 'cc' && thing !== last) ? 'card' : undefined;
}

/** In lower case, without digits: `dbPassword1` is db, password. */
function wordsOf(name: string): string[] {
  return name
    .slice(-MAX_NAME)
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');
}
