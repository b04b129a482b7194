/** How Qdrant is named in the configuration. */

/** In words that complete "it accepts …". */
export const QDRANT_ADDRESS = 'http://HOST:PORT or https://HOST:PORT (without a port: 6333), with no user in it';

/** A key has a setting of its own: an address is shown to people. */
export function isQdrantAddress(text: string): boolean {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password, search, hash } = new URL(text);
  return hostname !== '' && [username, password, search, hash].every((part) => part === '');
}
