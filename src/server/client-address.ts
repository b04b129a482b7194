/** Where a request comes from, for counting. */

import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(?=\d+\.)/i;
/** Groups of an IPv6 address that name a network; the other four are for its owner to choose. */
const NETWORK_GROUPS = 4;

/** An IPv4 address as it is; of an IPv6 address its network of 64 bits, all of which belong to one customer. */
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
