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

/** Forms that were missed once: other spellings of the same. */
const FOUND_SECRETS = [
  ['SECRET_KEY=abc123xyz', 'SECRET_KEY=[secret]'],
  ['secretKey: abc123xyz', 'secretKey: [secret]'],
  ['accessToken: abc123', 'accessToken: [secret]'],
  ['aws_access_key=abc', 'aws_access_key=[secret]'],
  ['dbPassword=hunter2', 'dbPassword=[secret]'],
  ['pass: hunter2', 'pass: [secret]'],
  ['pw: hunter2', 'pw: [secret]'],
  ['Passwort: geheim', 'Passwort: [secret]'],
  ['api key: zzz111', 'api key: [secret]'],
  ['the password for prod is hunter2', 'the password for prod is [secret]'],
  ['password:\nhunter2\nnext', 'password:\n[secret]\nnext'],
  ['password :: hunter2', 'password :: [secret]'],
  ['password = correct horse battery staple\nnext', 'password = [secret]\nnext'],
  ['password: the quick brown fox', 'password: [secret]'],
  ['password: hunter2. The server is slow', 'password: [secret]. The server is slow'],
  ['password=hunter2 host=db', 'password=[secret] host=db'],
  ['Server=x;Password=a;b;Database=y', 'Server=x;Password=[secret];Database=y'],
  ['password: |\n  hunter2\n  more\nnext: 1', 'password: |\n  [secret]\nnext: 1'],
  [String.raw`"password" : "a\"b-rest"`, '"password" : "[secret]"'],
  [String.raw`{\"password\":\"hunter2\"}`, String.raw`{\"password\":\"[secret]\"}`],
  ['password="cut short', 'password="[secret]'],
  ['**Password:** hunter2', '**Password:** [secret]'],
  ['“password”: “hunter2”', '“password”: “[secret]”'],
  ['postgres://u:p@ss@host/db', 'postgres://u:[secret]@host/db'],
  ['authorization: bearer abcdefgh12345', 'authorization: bearer [secret]'],
  ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [secret]'],
  ['SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG', '[secret]'],
  ['https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX', '[secret]'],
  ['AccountKey=abcdEFGH==', 'AccountKey=[secret]'],
  ['SSN 078-05-1120', 'SSN [secret]'],
  ['my pin is 4711', 'my pin is [secret]'],
] as const;

const FOUND_PERSONAL = [
  ['4111\u00a01111\u00a01111\u00a01111 x', '[card] x'],
  ['a 4111\u20111111\u20111111\u20111111', 'a [card]'],
  ['4111  1111  1111  1111', '[card]'],
  ['4111.1111.1111.1111', '[card]'],
  ['4111_1111_1111_1111', '[card]'],
  ['card4111111111111111', 'card[card]'],
  ['4111111111111111x', '[card]x'],
  ['2026 4111 1111 1111 1111 123', '2026 [card] 123'],
  ['3782 822463 10005', '[card]'],
  ['é ４１１１１１１１１１１１１１１１ ü', 'é [card] ü'],
  ['+49\u00a0170\u00a01234567', '[phone]'],
  ['+1\u2011555\u2011123\u20114567!', '[phone]!'],
  ['1-800-555-0199', '[phone]'],
  ['phone=5551234567', 'phone=[phone]'],
  ['"phone_number": "5551234567"', '"phone_number": "[phone]"'],
  ['Telefon 1234567', 'Telefon [phone]'],
  ['+15551234567ext5', '[phone]ext5'],
  ['01 42 68 53 00', '[phone]'],
  ['😀 john＠example.com 😀', '😀 [email] 😀'],
  ['john%40example.com', '[email]'],
  ['"john doe"@example.com', '[email]'],
  ['jo\u200bhn@example\u200b.com', '[email]'],
] as const;

const ORDINARY = [
  'Order 17 was shipped on 2026-03-04 at 10:30, 1200 pieces, 03-04-2026',
  'The server 192.168.100.200 runs version 1.2.3.4',
  'id 550e8400-e29b-41d4-a716-446655440000 at 1700000000',
  'number 1234567890123456 has a wrong check digit, and pi is 3.14159265358979',
  'The password is required; a secret garden; the token expires',
  'call 911, meet @noon, a @ b',
  'She scored 10-12-15-20 in the four rounds',
  // Numbers that are no telephone's and no card's.
  '0.123456789',
  '0 1 2 3 4 5 6 7 8 9',
  '01 02 03 04 05',
  'Order 00123456789',
  'order number 0012345678',
  'Order 1234567890',
  'invoice 0123-456-789',
  'SKU 555-123-4567',
  'hash 0123456789',
  'call 100000 times',
  'call 1000000 functions',
  'call 123-456',
  '+1000000000 users',
  '+100000000 USD',
  'range 100-200-3000',
  'part 123.456.7890',
  '000000000000',
  '0001234567890',
  'fax 2000-2001',
  'bits 0101 0101 0101 0101',
  '2024 2025 2026 2027',
  '1000 2000 3000 4000',
  'Scores: 23 45 67 89 12 34 56 78',
  '2 4 6 8 10 12 14 16 18 20',
  '2026-11-15T09:30:00.000Z, 04.03.2026 10:00, 03/04/2026',
  'v10.0.19045.3803, 127.0.0.1:8787, Node 24.1.0-rc.1',
  'uuid 41111111-1111-4111-8111-111111111111',
  'ISBN 978-3-16-148410-0, ISBN 9783161484100, ISBN 0-306-40615-2',
  'tracking 1Z999AA10123456784, timestamp 1731660600000',
  // Words that are no secrets.
  'GPIO pin 13, a pin 4 connector, pin: 13',
  'token 5 of the sentence',
  'the token 42 is consumed',
  'token is 12 bytes; the secret is 42',
  'token: string',
  'token=null',
  'token: 4096 max',
  'max_token: 100',
  'password: required',
  'password: at least 12 characters',
  'password: string; // the hash',
  'password policy: minimum 12 characters',
  'the password sha256 digest',
  'secret: none',
  'We pass the token: it is valid',
  'Basic authentication is, Bearer authentication',
  'basic understanding of JavaScript',
  'Credentials: ask Bob',
  'secret: https://vault.example/x',
  'primary key: id, public_key=abc',
  'git@github.com:acme/repo.git',
  'npm i foo@latest, @types/node@20.1.0',
];

describe('redaction', () => {
  it.each([...FOUND, ...FOUND_SECRETS, ...FOUND_PERSONAL])('finds it in %j', (text, expected) => {
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
      'secret',
      '\n',
      ',',
      '|',
      '\\',
      '\u00a0',
      '１',
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

  it.each([
    'clientSecret',
    'dbPassword',
    'accessToken',
    'secretKey',
    'secret_key',
    'aws_access_key',
    'Password1',
    'pass',
    'pw',
    'Passwort',
    'APIKey',
  ])('knows that a field called %s holds a secret', (name) => {
    expect(redactWithin({ [name]: 'abc' })).toEqual({ value: { [name]: '[secret]' }, counts: { secret: 1 } });
  });

  it('looks at numbers as at texts, and at the names of their fields', () => {
    const personal = { card: 4_111_111_111_111_111, phone: 15_551_234_567, phones: ['5551234567'], ssn: '078-05-1120' };
    expect(redactWithin(personal)).toEqual({
      value: { card: '[card]', phone: '[phone]', phones: ['[phone]'], ssn: '[secret]' },
      counts: { card: 1, phone: 2, secret: 1 },
    });
    expect(redactWithin([4_111_111_111_111_111]).value).toEqual(['[card]']);
    const ordinary = {
      at: 1_731_660_600_000,
      token_count: 5,
      token: 7,
      max_token: 900_000,
      pass: true,
      pin: 13,
      card: 3,
    };
    expect(redactWithin(ordinary)).toEqual({ value: ordinary, counts: {} });
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
      'password:\n',
      'password: |\n ',
      'secret: it it ',
      'secret= a,',
      'password for a ',
      '4111 ',
      'call 0 ',
      'ａ＠',
      '\u200b',
      'A'.repeat(1024),
    ];
    for (const piece of pieces) expect(redact(piece.repeat(32_768 / piece.length)).text.length).toBeGreaterThan(0);
  });
});
