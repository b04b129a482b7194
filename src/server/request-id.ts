/** The id of a request, by which a response can be found in the log. */

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const ACCEPTED = /^[A-Za-z0-9._-]{1,100}$/;

/** The caller's `X-Request-ID` if it is harmless, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
}
