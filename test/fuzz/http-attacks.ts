/** Requests that no honest program sends: HTTP itself is bent. All of them must be refused, or be harmless. */

import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import {
  connections,
  EMPTY,
  ENTRIES,
  headerTricks,
  methodsAndTargets,
  type Attack,
  type Head,
  type Post,
} from './head-attacks.ts';
import type { Part } from './raw-exchange.ts';

const BOMB_BYTES = 50_000_000;

/** What would be written if one of them got through. */
export const SMUGGLED = 'smuggled memory';
const ADD = JSON.stringify({ content: SMUGGLED, layer: 'user' });

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

function bodies(post: Post, json: string): Attack[] {
  const refused = (name: string, parts: readonly Part[]): Attack => ({ name, parts, outcome: 'refused', answers: 1 });
  const zeros = Buffer.alloc(BOMB_BYTES, 0x20);
  const packings = {
    gzip: gzipSync(zeros),
    deflate: deflateSync(zeros),
    br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
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
