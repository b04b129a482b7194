/** A command that asks this service, as whoever is looking. */

import { encodePrincipal } from '../../../../src/operations/wire-headers.ts';
import { credential, principal } from '../../api/session.ts';

export function curlCommand(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): string {
  const who = principal.value;
  const headers =
    credential.value === undefined
      ? Object.entries(who === undefined ? {} : encodePrincipal(who)).map(([name, value]) => `${name}: ${value}`)
      : ['Authorization: Bearer $LAMINA_TOKEN'];
  const all = [...(body === undefined ? [] : ['Content-Type: application/json']), ...headers];
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${window.location.origin}${path}`,
    ...all.map((header) => `-H '${header}'`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body)}'`]),
  ].join(' \\\n  ');
}
