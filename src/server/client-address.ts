/** The address of a client, for rate limits. */

import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(?=\d+\.)/i;
/** Groups of an IPv6 address that name a network; its owner chooses the other four. */
const NETWORK_GROUPS = 4;

/** An IPv4 address as it is; for an IPv6 address its /64 network, which belongs to one customer. */
export function addressKey(address: string): string {
  const plain = address.replace(MAPPED, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('%', 1).join('').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::`;
}
