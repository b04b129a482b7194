/** A command to paste that writes something with this service, as whoever is looking. */

import { encodePrincipal } from '../../../src/operations/wire-headers.ts';
import { credential, principal } from '../api/session.ts';

/** The body is as it goes over the wire, in snake_case. */
export function curlCommand(path: string, body: unknown, method: 'POST' | 'PUT' = 'POST'): string {
  const who = principal.value;
  const headers =
    credential.value === undefined
      ? Object.entries(who === undefined ? {} : encodePrincipal(who)).map(([name, value]) =>
          quoted(`${name}: ${value}`),
        )
      : // Between double quotes the shell puts the variable in.
        ['"Authorization: Bearer $LAMINA_TOKEN"'];
  return [
    `curl${method === 'POST' ? '' : ` -X ${method}`} ${window.location.origin}${path}`,
    ...[quoted('Content-Type: application/json'), ...headers].map((header) => `-H ${header}`),
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

/** As it stands, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
