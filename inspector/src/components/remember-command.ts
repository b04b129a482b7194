/** A command that stores a first memory with this service, as whoever is looking. */

import type { Identifiers, Layer } from '../../../src/domain/scope.ts';
import { curlCommand } from './curl-command.ts';

export function rememberCommand(identifiers?: Identifiers, layer: Layer = 'user'): string {
  const named = Object.entries(identifiers ?? {}).map(([name, value]) => [name.replace('Id', '_id'), value]);
  return curlCommand('/v1/memory/entries', {
    content: 'Ada prefers tea to coffee.',
    layer,
    ...(named.length > 0 && layer !== 'user' && { identifiers: Object.fromEntries(named) as unknown }),
  });
}
