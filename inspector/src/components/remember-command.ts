/** A command that stores a first memory with this service, as whoever is looking. */

import { encodePrincipal } from '../../../src/operations/wire-headers.ts';
import type { Identifiers, Layer } from '../../../src/domain/scope.ts';
import { credential, principal } from '../api/session.ts';

export function rememberCommand(identifiers?: Identifiers, layer: Layer = 'user'): string {
  const who = principal.value;
  const headers =
    credential.value === undefined
      ? Object.entries(who === undefined ? {} : encodePrincipal(who)).map(([name, value]) => `${name}: ${value}`)
      : ['Authorization: Bearer $LAMINA_TOKEN'];
  const named = Object.entries(identifiers ?? {}).map(([name, value]) => [name.replace('Id', '_id'), value]);
  const body = {
    content: 'Ada prefers tea to coffee.',
    layer,
    ...(named.length > 0 && layer !== 'user' && { identifiers: Object.fromEntries(named) as unknown }),
  };
  return [
    `curl ${window.location.origin}/v1/memory/entries`,
    ...['Content-Type: application/json', ...headers].map((header) => `-H '${header}'`),
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ');
}
