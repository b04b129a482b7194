/** Going through a namespace, and through the namespaces of a tenant, a portion at a time. */

import type { RedisConnection, RedisArgument, RedisReply } from './redis-connection.ts';
import type { RedisScript } from './redis-script.ts';

/** Values that one script goes through: everyone else waits for it. */
const PORTION = 128;

/** Namespaces that are gone through together, so that many small ones do not take a round trip each. */
const NAMESPACES = 32;

export interface Walk {
  readonly script: RedisScript;
  readonly effect: 'reads' | 'writes';
  readonly tenantId: string;
  readonly namespace: string;
  readonly now: number;
  /** The first key comes after this one. */
  readonly after?: string | undefined;
  /** What the keys begin with. */
  readonly keyPrefix?: string;
  readonly portion?: number;
  /** What the script takes besides. */
  readonly values?: readonly RedisArgument[];
}

/** What a script has found in each portion. */
export async function* portions(connection: RedisConnection, walk: Walk): AsyncGenerator<RedisReply[]> {
  const { script, effect, tenantId, namespace, now, portion = PORTION, keyPrefix = '', values = [] } = walk;
  const keys = [connection.keys.index(tenantId, namespace), connection.keys.namespaces(tenantId)];
  const place = [endOf(keyPrefix), String(portion), namespace, connection.keys.value(tenantId, namespace)];
  let { after } = walk;
  for (;;) {
    const start = after === undefined ? `[${keyPrefix}` : `(${after}`;
    const reply = await connection.run(script, keys, [String(now), start, ...place, ...values], effect);
    const [last, count, found] = reply as [string, number, RedisReply[]];
    yield found;
    if (count < portion) return;
    after = last;
  }
}

/** All rows that a script has found, but no more than `limit`. */
export async function rows(connection: RedisConnection, walk: Walk, limit: number): Promise<string[][]> {
  const all: string[][] = [];
  if (limit <= 0) return all;
  for await (const found of portions(connection, walk)) {
    all.push(...(found as string[][]));
    if (all.length >= limit) break;
  }
  return all.slice(0, limit);
}

/** The sum of what a script has counted, by place. */
export async function sums(connection: RedisConnection, walk: Walk): Promise<number[]> {
  const total: number[] = [];
  for await (const found of portions(connection, walk)) {
    for (const [index, value] of found.entries()) total[index] = (total[index] ?? 0) + Number(value);
  }
  return total;
}

/** The namespaces that begin with a text, in order, from the given one on; some at a time. */
export async function* namespacePages(
  connection: RedisConnection,
  tenantId: string,
  prefix: string,
  from: string = prefix,
): AsyncGenerator<string[]> {
  let start = `[${from > prefix ? from : prefix}`;
  for (;;) {
    const command = [
      'ZRANGEBYLEX',
      connection.keys.namespaces(tenantId),
      start,
      endOf(prefix),
      'LIMIT',
      '0',
      String(NAMESPACES),
    ];
    const page = (await connection.send(command, 'reads')) as string[];
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < NAMESPACES) return;
    start = `(${last}`;
  }
}

/** Comes after all that begin with a text: no text has this byte. */
function endOf(prefix: string): Buffer {
  return Buffer.concat([Buffer.from(`(${prefix}`), Buffer.from([0xff])]);
}
