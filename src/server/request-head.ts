/** The head of a request: refused if a proxy and this service could interpret it differently. */

import type { IncomingMessage } from 'node:http';
import { LaminaError } from '../domain/error.ts';
import { PRINCIPAL_HEADERS, ROLES_HEADER } from '../operations/wire-headers.ts';

/** Node takes the first of some of these and joins others. Each has a bit, in its usual spellings. */
const ONCE: ReadonlyMap<string, number> = new Map(
  ['Host', 'Authorization', 'Content-Type', 'X-API-Key', ...Object.values(PRINCIPAL_HEADERS), ROLES_HEADER].flatMap(
    (name, at): [string, number][] => [
      [name, 1 << at],
      [name.toLowerCase(), 1 << at],
    ],
  ),
);

/** Throws `VALIDATION_FAILED`. */
export function assertClearHead({ rawHeaders, headers, httpVersionMinor }: IncomingMessage): void {
  assertOnce(rawHeaders);
  if (headers.host === undefined && httpVersionMinor > 0) refuse('The request has no Host header.');
  if (headers['content-encoding'] !== undefined && headers['content-encoding'].toLowerCase() !== 'identity') {
    refuse('Bodies are taken as they are, never packed: send it without "Content-Encoding".');
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    refuse('The only expectation that is understood is "Expect: 100-continue".');
  }
}

function assertOnce(rawHeaders: readonly string[]): void {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const bit = ONCE.get(name) ?? ONCE.get(name.toLowerCase()) ?? 0;
    if ((seen & bit) !== 0) refuse(`The header "${name.toLowerCase()}" is there more than once.`);
    seen |= bit;
  }
}

function refuse(message: string): never {
  throw new LaminaError('VALIDATION_FAILED', message);
}
