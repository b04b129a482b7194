/** Requests that no honest program sends: HTTP itself is bent. All of them must be refused, or be harmless. */

import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { Part } from './raw-exchange.ts';

export interface Attack {
  readonly name: string;
  readonly parts: readonly Part[];
  /** `refused`: every answer is an error, and there is one. `harmless`: anything but a failure of the service. `cut`: none may come. */
  readonly outcome: 'refused' | 'harmless' | 'cut';
  /** How many answers there must be. */
  readonly answers?: number;
}

const ENTRIES = '/v1/memory/entries';
const BOMB_BYTES = 50_000_000;

/** What would be written if one of them got through. */
export const SMUGGLED = 'smuggled memory';
const ADD = JSON.stringify({ content: SMUGGLED, layer: 'user' });
/** Harmless for a body: what is refused anyway. */
const EMPTY = '{}';

export function httpAttacks(credential: string): Attack[] {
  const common = `Host: 127.0.0.1\r\nAuthorization: Bearer ${credential}\r\n`;
  const head = (line: string, ...headers: string[]): string =>
    `${line} HTTP/1.1\r\n${common}${headers.map((each) => `${each}\r\n`).join('')}\r\n`;
  const post = (body: string | Uint8Array, ...headers: string[]): Part[] => [
    head(`POST ${ENTRIES}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers),
    body,
  ];
  const json = 'Content-Type: application/json';
  const get = head(`GET ${ENTRIES}?layer=user`);
  return [
    ...bodies(post, json),
    ...framing(head, json, get),
    ...headerTricks(head, common, json),
    ...methodsAndTargets(head, common),
    ...connections(head, json, get, post),
  ];
}

type Head = (line: string, ...headers: string[]) => string;
type Post = (body: string | Uint8Array, ...headers: string[]) => Part[];

function bodies(post: Post, json: string): Attack[] {
  const refused = (name: string, parts: readonly Part[]): Attack => ({ name, parts, outcome: 'refused', answers: 1 });
  const zeros = Buffer.alloc(BOMB_BYTES, 0x20);
  const packings = {
    gzip: gzipSync(zeros),
    deflate: deflateSync(zeros),
    br: brotliCompressSync(zeros),
    zstd: zstdCompressSync(zeros),
  };
  const types = [
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/x-www-form-urlencoded',
  ];
  return [
    ...types.map((type) => refused(`a body as ${type}`, post(ADD, `Content-Type: ${type}`))),
    refused('a body without a type', post(ADD)),
    refused('a body in two types', post(ADD, 'Content-Type: application/json, text/plain')),
    ...Object.entries(packings).flatMap(([name, bomb]) => [
      refused(`a bomb of ${name}`, post(bomb, json, `Content-Encoding: ${name}`)),
      refused(`a memory that says it is ${name}`, post(ADD, json, `Content-Encoding: ${name}`)),
    ]),
    refused('a memory in gzip', post(gzipSync(ADD), json, 'Content-Encoding: gzip')),
    refused('a memory in gzip twice', post(gzipSync(gzipSync(ADD)), json, 'Content-Encoding: gzip, gzip')),
    refused('UTF-16', post(Buffer.from(`\ufeff${ADD}`, 'utf16le'), 'Content-Type: application/json; charset=utf-16')),
    refused('UTF-16 that is not announced', post(Buffer.from(ADD, 'utf16le'), json)),
    refused(
      'Latin 1',
      post(
        Buffer.from('{"content":"\xe9","layer":"user"}', 'latin1'),
        'Content-Type: application/json; charset=latin1',
      ),
    ),
    refused('bytes that are no UTF-8', post(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), json)),
    refused(
      'an overlong slash',
      post(
        Buffer.concat([Buffer.from('{"content":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('","layer":"user"}')]),
        json,
      ),
    ),
    refused(
      'a surrogate in UTF-8',
      post(
        Buffer.concat([Buffer.from('{"content":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('","layer":"user"}')]),
        json,
      ),
    ),
    refused('two documents', post(`${EMPTY}${ADD}`, json)),
    refused('100,000 levels', post(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, json)),
    refused(
      '100,000 levels in a field',
      post(`{"content":"x","layer":"user","metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`, json),
    ),
    refused('a million levels that do not end', post('{"a":'.repeat(1_000_000), json)),
    refused('300,000 fields', post(`{${Array.from({ length: 300_000 }, (_, at) => `"f${at}":0`).join(',')}}`, json)),
    refused('a million items', post(`{"memories":[${'0,'.repeat(1_000_000)}0]}`, json)),
    refused(
      'fields of a prototype',
      post('{"content":"x","layer":"user","metadata":{"a":[{"__proto__":{"polluted":1}}]}}', json),
    ),
    refused('a body of blanks', post(' '.repeat(3_000_000), json)),
  ];
}

function framing(head: Head, json: string, get: string): Attack[] {
  const line = `POST ${ENTRIES}`;
  const smuggled = `${head(line, json, `Content-Length: ${ADD.length}`)}${ADD}`;
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const refused = (name: string, ...parts: Part[]): Attack => ({ name, parts, outcome: 'refused', answers: 1 });
  return [
    refused(
      'a length and chunks',
      head(line, json, 'Content-Length: 6', 'Transfer-Encoding: chunked'),
      `0\r\n\r\n${smuggled}`,
    ),
    refused(
      'chunks and a length',
      head(line, json, 'Transfer-Encoding: chunked', 'Content-Length: 3'),
      `${chunk(EMPTY)}0\r\n\r\n${smuggled}`,
    ),
    refused('two lengths', head(line, json, 'Content-Length: 0', `Content-Length: ${smuggled.length}`), smuggled),
    refused('two lengths in one', head(line, json, `Content-Length: 0, ${smuggled.length}`), smuggled),
    refused('a negative length', head(line, json, 'Content-Length: -1'), smuggled),
    refused('a length with a plus', head(line, json, 'Content-Length: +2'), EMPTY),
    refused('a hexadecimal length', head(line, json, 'Content-Length: 0x2'), EMPTY),
    refused('a length past all numbers', head(line, json, `Content-Length: ${'9'.repeat(30)}`), EMPTY),
    refused('chunks spelt otherwise', head(line, json, 'Transfer-Encoding: xchunked'), `0\r\n\r\n${smuggled}`),
    refused('chunks, then as it is', head(line, json, 'Transfer-Encoding: chunked, identity'), `0\r\n\r\n${smuggled}`),
    refused(
      'two encodings',
      head(line, json, 'Transfer-Encoding: chunked', 'Transfer-Encoding: identity'),
      `0\r\n\r\n${smuggled}`,
    ),
    refused('gzip in chunks', head(line, json, 'Transfer-Encoding: gzip, chunked'), `0\r\n\r\n`),
    refused('a blank before the colon', `${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n`),
    refused('a folded header', head(line, json, 'X-A: b\r\n Transfer-Encoding: chunked', 'Content-Length: 2'), EMPTY),
    refused('a size that is no number', head(line, json, 'Transfer-Encoding: chunked'), 'zz\r\nhello\r\n0\r\n\r\n'),
    refused('a size past all numbers', head(line, json, 'Transfer-Encoding: chunked'), 'fffffffffffffffff\r\nx\r\n'),
    refused('a negative size', head(line, json, 'Transfer-Encoding: chunked'), '-1\r\nx\r\n0\r\n\r\n'),
    refused('a chunk longer than its size', head(line, json, 'Transfer-Encoding: chunked'), '2\r\n{}{}\r\n0\r\n\r\n'),
    refused(
      'an extension without an end',
      head(line, json, 'Transfer-Encoding: chunked'),
      `2;${'x'.repeat(70_000)}\r\n{}\r\n0\r\n\r\n`,
    ),
    refused('lines that end in LF only', `GET ${ENTRIES} HTTP/1.1\nHost: x\n\n`),
    refused('CR without LF', `GET ${ENTRIES} HTTP/1.1\rHost: x\r\r`),
    {
      name: 'a credential behind the body',
      parts: [
        `${line} HTTP/1.1\r\nHost: x\r\n${json}\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n${chunk(ADD)}0\r\nAuthorization: Bearer x\r\n\r\n`,
      ],
      outcome: 'refused',
    },
    {
      name: 'a thousand chunks of one byte',
      parts: [head(line, json, 'Transfer-Encoding: chunked'), `${chunk(' ').repeat(1000)}0\r\n\r\n`],
      outcome: 'refused',
    },
    {
      name: 'a body where none is read, with a request in it',
      parts: [head(`GET ${ENTRIES}?layer=user`, json, `Content-Length: ${smuggled.length}`), smuggled],
      outcome: 'harmless',
      answers: 1,
    },
    { name: 'fifty at once', parts: [get.repeat(50)], outcome: 'harmless', answers: 50 },
  ];
}

function headerTricks(head: Head, common: string, json: string): Attack[] {
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
        'X-Tenant-ID: 00000000-0000-0000-0000-000000000000',
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

function methodsAndTargets(head: Head, common: string): Attack[] {
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

function connections(head: Head, json: string, get: string, post: Post): Attack[] {
  const waits = head(`POST ${ENTRIES}`, json, 'Content-Length: 500');
  const cut = (name: string, ...parts: Part[]): Attack => ({ name, parts, outcome: 'cut' });
  return [
    cut('nothing at all', 50, 'end'),
    { name: 'half a head', parts: [get.slice(0, 60), 50, 'end'], outcome: 'harmless' },
    { name: 'half a body', parts: [waits, '{"content":', 50, 'end'], outcome: 'harmless' },
    {
      name: 'half a chunk',
      parts: [head(`POST ${ENTRIES}`, json, 'Transfer-Encoding: chunked'), '20\r\n{"con', 50, 'end'],
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
      parts: [...`${get.slice(0, 20)}`.split('').flatMap((letter): Part[] => [letter, 20]), get.slice(20)],
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
