/** The addresses under which Redis is configured. */

/** In words that complete "it accepts …". */
export const REDIS_ADDRESS = 'redis://USER:PASSWORD@HOST:PORT/NUMBER, or rediss://… for TLS';

export function isRedisAddress(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  return hostname !== '' && /^(\/\d{0,4})?$/.test(pathname);
}
