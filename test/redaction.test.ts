/** Personal data and secrets are taken out, ordinary text is not touched, and no text takes long. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, redactWithin, sumOfCounts } from '../src/domain/redaction.ts';

const FOUND = [
  ['Mail ada@example.org or bob.b+x@mail.example.co.uk.', 'Mail [email] or [email].'],
  ['Grüße an jürgen@müller.example', 'Grüße an [email]'],
  ['Call +49 171 2345678 now', 'Call [phone] now'],
  ['(555) 123-4567 or 555.123.4567', '[phone] or [phone]'],
  ['tel: 5551234567', 'tel: [phone]'],
  ['0171 2345678 0172 3456789', '[phone] [phone]'],
  ['at 10:30 +1 415 555 2671', 'at 10:30 [phone]'],
  ['card 4111 1111 1111 1111, 12/27', 'card [card], 12/27'],
  ['5500-0000-0000-0004', '[card]'],
  ['378282246310005 123', '[card] 123'],
  ['password=hunter2; next', 'password=[secret]; next'],
  ['DB_PASSWORD: "a b c"', 'DB_PASSWORD: "[secret]"'],
  ["{'api_key': 'abc'}", "{'api_key': '[secret]'}"],
  ['My password is hunter2', 'My password is [secret]'],
  ['key sk-abcdefghijklmnop1234 here', 'key [secret] here'],
  ['AKIAIOSFODNN7EXAMPLE', '[secret]'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[secret]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', '[secret]'],
  ['Authorization: Bearer abcdefgh12345', 'Authorization: Bearer [secret]'],
  ['https://u:pw@h.example/x', 'https://u:[secret]@h.example/x'],
  ['a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb', 'a\n[secret]\nb'],
  ['-----BEGIN PRIVATE KEY-----\ncut short', '[secret]'],
] as const;

const ORDINARY = [
  'Order 17 was shipped on 2026-03-04 at 10:30, 1200 pieces, 03-04-2026',
  'The server 192.168.100.200 runs version 1.2.3.4',
  'id 550e8400-e29b-41d4-a716-446655440000 at 1700000000',
  'number 1234567890123456 has a wrong check digit, and pi is 3.14159265358979',
  'The password is required; a secret garden; the token expires',
  'call 911, meet @noon, a @ b',
  'She scored 10-12-15-20 in the four rounds',
];

describe('redaction', () => {
  it.each(FOUND)('finds it in %j', (text, expected) => {
    expect(redact(text).text).toBe(expected);
  });

  it.each(ORDINARY)('leaves %j alone', (text) => {
    expect(redact(text)).toEqual({ text, counts: {} });
  });

  it('counts what it takes out', () => {
    expect(redact('a@b.example c@d.example +49 171 2345678').counts).toEqual({ email: 2, phone: 1 });
    expect(sumOfCounts([{ email: 1 }, { email: 2, card: 1 }, {}])).toEqual({ email: 3, card: 1 });
  });

  it('finds every address, card and key in any text around it, and what is redacted stays so', () => {
    const around = fc.string({ unit: fc.constantFrom(...'abc XYZ 019 .,;!?\n([{'.split('')), maxLength: 60 });
    const personal = fc.constantFrom(
      'ada@example.org',
      '4111 1111 1111 1111',
      'ghp_abcdefghijklmnopqrstuvwx',
      '+49 171 2345678',
    );
    fc.assert(
      fc.property(around, personal, around, (before, secret, after) => {
        const { text } = redact(`${before} ; ${secret} ; ${after}`);
        expect(text).not.toContain(secret);
        expect(redact(text)).toEqual({ text, counts: {} });
      }),
    );
  });

  it('says the same twice of any text', () => {
    const token = fc.constantFrom(
      'password',
      '=',
      ':',
      ' ',
      '"',
      "'",
      'a@b.co',
      '+491712345678',
      '4111111111111111',
      '[secret]',
      '1',
      '-',
      'is',
      'x',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 25 }), (tokens) => {
        const { text } = redact(tokens.join(''));
        expect(redact(text).text).toBe(text);
      }),
    );
  });

  it('goes through values of any shape, and takes whole what a field called a password holds', () => {
    const value = {
      password: 'x',
      deep: [{ mail: 'a@b.example', n: 3, none: null }],
      'to a@b.example': true,
      tokens: 4,
    };
    expect(redactWithin(value)).toEqual({
      value: { password: '[secret]', deep: [{ mail: '[email]', n: 3, none: null }], 'to [email]': true, tokens: 4 },
      counts: { secret: 1, email: 2 },
    });
    expect(redactWithin(redactWithin(value).value).counts).toEqual({});
  });

  it('is done with hostile texts of the greatest length', () => {
    const pieces = [
      'a@',
      'a.',
      'password="',
      "password=':",
      '1 ',
      '(0',
      '0',
      'eyJaaaaaaaa.',
      '-----BEGIN PRIVATE KEY-----',
      '://:',
      'tel ',
      'aA1-',
      'password is ',
    ];
    for (const piece of pieces) expect(redact(piece.repeat(32_768 / piece.length)).text.length).toBeGreaterThan(0);
  });
});
