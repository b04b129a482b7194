/** Attacks on the head of a request, on what it is addressed to, and on the connection; and what an attack is. */

import type { Part } from './raw-exchange.ts';

export interface Attack {
  readonly name: string;
  readonly parts: readonly Part[];
  /** `refused`: every answer is an error, and there is one. `harmless`: anything but a failure of the service. `cut`: none may come. */
  readonly outcome: 'refused' | 'harmless' | 'cut';
  /** How many answers there must be. */
  readonly answers?: number;
}

export type Head = (line: string, ...headers: string[]) => string;
export type Post = (body: string | Uint8Array, ...headers: string[]) => Part[];

export const ENTRIES = '/v1/memory/entries';
/** Harmless for a body: what is refused anyway. */
export const EMPTY = '{}';

export function headerTricks(head: Head, common: string, json: string): Attack[] {
  const get = `GET ${ENTRIES}?layer=user`;
  const refused = (name: string, ...parts: Part[]): Attack => ({ name, parts, outcome: 'refused', answers: 1 });
  const harmless = (name: string, ...parts: Part[]): Attack => ({ name, parts, outcome: 'harmless' });
  return [
    refused('a header of 100,000 characters', head(get, `X-Long: ${'x'.repeat(100_000)}`)),
    refused('a path of 100,000 characters', head(`GET /${'x'.repeat(100_000)}`)),
    refused('a query of 15,000 parameters of nobody', head(`${get}&${'a=&'.repeat(4000)}`)),
    harmless('a thousand headers', head(get, ...Array.from({ length: 1000 }, (_, at) => `X-${at}: y`))),
    refused('a header without a name', head(get, ': x')),
    refused('a header with NUL', head(get, 'X-A: a\0b')),
    refused('a name with a blank', head(get, 'X A: b')),
    refused('no host', `${get} HTTP/1.1\r\n\r\n`),
    refused('two hosts', `${get} HTTP/1.1\r\nHost: a\r\n${common}\r\n`),
    refused(
      'an expectation that nobody has heard of',
      head(`POST ${ENTRIES}`, json, 'Expect: 200-maybe', 'Content-Length: 2'),
      EMPTY,
    ),
    refused(
      'a precondition twice',
      head(`DELETE ${ENTRIES}/01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88`, 'If-Match: "1"', 'If-Match: "2"'),
    ),
    refused(
      'another credential in front',
      `${get} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nAuthorization: ${common.split('Authorization: ')[1] ?? ''}\r\n`,
    ),
    refused('a credential in base 64', `${get} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YTpi\r\n\r\n`),
    refused('a key that is an object', `${get} HTTP/1.1\r\nHost: x\r\nX-API-Key: lam_${'x'.repeat(4000)}\r\n\r\n`),
    refused('another tenant than the token', head(get, 'X-Tenant-ID: 00000000-0000-0000-0000-000000000000')),
    refused('another user than the token', head(get, 'X-User-ID: %61nother')),
    harmless(
      'every header that a proxy adds',
      head(
        get,
        'X-Forwarded-For: 1.2.3.4',
        'X-Original-URL: /metrics',
        'X-Rewrite-URL: /metrics',
        'X-HTTP-Method-Override: DELETE',
        'Forwarded: for=x',
        'Via: x',
        'X-Roles: admin',
      ),
    ),
    harmless(
      'ranges and conditions',
      head(
        get,
        'Range: bytes=0-1',
        'If-Range: "x"',
        'If-None-Match: "1"',
        'If-Modified-Since: x',
        'Accept: x/x;q=9',
        'Accept-Encoding: *;q=0',
      ),
    ),
    harmless(
      'a trace that is none',
      head(get, 'traceparent: 00-zz-yy-xx', `tracestate: ${'a=b,'.repeat(500)}`, `baggage: ${'x'.repeat(5000)}`),
    ),
    refused('a switch to HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    harmless(
      'an upgrade',
      head(get, 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'),
    ),
    harmless(
      'a web socket',
      head(
        get,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        'Sec-WebSocket-Version: 13',
      ),
    ),
  ];
}

export function methodsAndTargets(head: Head, common: string): Attack[] {
  const methods = ['TRACE', 'OPTIONS', 'PROPFIND', 'PURGE', 'QUERY', 'LINK', 'M-SEARCH', 'SOURCE'];
  const id = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e88';
  const targets = [
    `${ENTRIES}/../admin/keys`,
    `${ENTRIES}/%2e%2e/admin/keys`,
    `${ENTRIES}/..%2fadmin%2fkeys`,
    `${ENTRIES}/%00`,
    `${ENTRIES}/${id}%00`,
    `${ENTRIES}/${id}%2fversions`,
    `//v1/memory/entries/${id}`,
    `/v1//memory/entries`,
    `/v1/memory/entries//`,
    '/v1/memory/entries/',
    `${ENTRIES}/%ed%a0%80`,
    `${ENTRIES}/%ff`,
    `${ENTRIES}/%`,
    `${ENTRIES}/%u0041`,
    `${ENTRIES};a=b`,
    `${ENTRIES}%3flayer=user`,
    `/V1/MEMORY/ENTRIES`,
    `${ENTRIES}/*`,
    `${ENTRIES}/:id`,
    '/*',
    '/..',
    '/.',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/....//secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%00',
    '/assets/',
    '/assets//secret.txt',
    '/favicon.svg/../secret.txt',
    '/assets/a.js%00.txt',
    '/assets/%252e%252e/secret.txt',
    'http://127.0.0.1/v1/memory/entries',
    'entries',
    '?layer=user',
    `${ENTRIES}?layer=user#fragment`,
    `${ENTRIES}?layer=user&layer=user`,
    `${ENTRIES}?layer[]=user`,
    `${ENTRIES}?layer[__proto__]=x`,
    `${ENTRIES}?__proto__[x]=1&layer=user`,
    `${ENTRIES}?layer=%ff`,
    `/v1/memory/working/${'x'.repeat(8000)}/y`,
    `/v1/memory/working/%2e%2e/%2e%2e/%00`,
  ];
  const refused = (name: string, ...parts: Part[]): Attack => ({ name, parts, outcome: 'refused', answers: 1 });
  return [
    ...methods.map((method) => refused(`${method} as a method`, head(`${method} ${ENTRIES}`))),
    refused('a method of nobody', head(`FOO ${ENTRIES}`)),
    refused('a method in small letters', head(`get ${ENTRIES}`)),
    { name: 'a tunnel', parts: [head('CONNECT 127.0.0.1:22')], outcome: 'cut' },
    ...targets.map((target) => refused(`the path ${target.slice(0, 60)}`, head(`GET ${target}`))),
    {
      name: 'a target with a host of its own',
      parts: [head('GET http://elsewhere.example/metrics')],
      outcome: 'harmless',
    },
    { name: 'a star for a target', parts: [head('GET *')], outcome: 'harmless' },
    {
      name: 'a path into the page of the inspector',
      parts: [head('GET /inspect/../../secret.txt')],
      outcome: 'harmless',
    },
    refused('a path with a blank', head(`GET ${ENTRIES} x`)),
    refused('a path with bytes above ASCII', Buffer.from(`GET /caf\xe9 HTTP/1.1\r\n${common}\r\n`, 'latin1')),
    { name: 'HTTP/1.0', parts: [`GET ${ENTRIES}?layer=user HTTP/1.0\r\n${common}\r\n`], outcome: 'harmless' },
    refused('HTTP/0.9', `GET ${ENTRIES}\r\n\r\n`),
    refused('HTTP/9.9', `GET ${ENTRIES} HTTP/9.9\r\n${common}\r\n`),
    refused('the beginning of TLS', Buffer.from('16030100c8010000c40303', 'hex'), '\r\n\r\n'),
    refused('bytes of nothing', Buffer.alloc(1000), '\r\n\r\n'),
  ];
}

export function connections(head: Head, json: string, get: string, post: Post): Attack[] {
  const waits = head(`POST ${ENTRIES}`, json, 'Content-Length: 500');
  const cut = (name: string, ...parts: Part[]): Attack => ({ name, parts, outcome: 'cut' });
  return [
    cut('nothing at all', 50, null),
    { name: 'half a head', parts: [get.slice(0, 60), 50, null], outcome: 'harmless' },
    { name: 'half a body', parts: [waits, '{"content":', 50, null], outcome: 'harmless' },
    {
      name: 'half a chunk',
      parts: [head(`POST ${ENTRIES}`, json, 'Transfer-Encoding: chunked'), '20\r\n{"con', 50, null],
      outcome: 'harmless',
    },
    {
      name: 'a slow body',
      parts: [head(`POST ${ENTRIES}`, json, `Content-Length: ${EMPTY.length}`), '{', 1500, '}'],
      outcome: 'refused',
      answers: 1,
    },
    {
      name: 'a slow head',
      parts: [
        ...get
          .slice(0, 20)
          .split('')
          .flatMap((letter): Part[] => [letter, 20]),
        get.slice(20),
      ],
      outcome: 'harmless',
      answers: 1,
    },
    {
      name: 'permission to go on',
      parts: [head(`POST ${ENTRIES}`, json, 'Expect: 100-continue', 'Content-Length: 2'), 100, EMPTY],
      outcome: 'refused',
      answers: 1,
    },
    { name: 'a good one behind a bad one', parts: [...post(EMPTY, json), get], outcome: 'harmless', answers: 2 },
  ];
}
