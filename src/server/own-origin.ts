/** Foreign web pages are not clients, whatever they make a browser send. */

import type { IncomingHttpHeaders } from 'node:http';
import { LaminaError } from '../domain/error.ts';

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Programs send no `Origin`. A page of this host or of this machine may ask; any other is refused with `FORBIDDEN`, as the
 * MCP specification demands. DNS rebinding, where a page has this host's name, is handled by authentication, which requires
 * credentials or else answers to loopback names only.
 */
export function assertOwnOrigin({ origin, host }: IncomingHttpHeaders): void {
  if (origin === undefined) return;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url !== undefined && (LOOPBACK_NAME.test(url.hostname) || url.host === host)) return;
  throw new LaminaError('FORBIDDEN', 'Requests from web pages of another origin are not answered here.');
}
