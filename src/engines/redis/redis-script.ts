/** A script that Redis runs as one step, under the name that Redis gives it. */

import { hash } from 'node:crypto';

export interface RedisScript {
  readonly text: string;
  readonly hash: string;
}

export function redisScript(text: string): RedisScript {
  return { text, hash: hash('sha1', text) };
}
