/** The name of a request, so that an answer can be found again in the log. */

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const ACCEPTED = /^[A-Za-z0-9._-]{1,100}$/;

/** The caller's `X-Request-ID` where it is harmless, else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
}
