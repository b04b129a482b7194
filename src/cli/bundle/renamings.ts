/** The flags by which an import goes under other names. */

import type { Renamings } from '../../core/bundle/remapping.ts';
import { IDENTIFIER_NAMES, LAYERS, type IdentifierName, type Layer } from '../../domain/scope.ts';
import { usageError, type Flag, type Given } from '../command.ts';

const GROUP = 'Under other names';

const NAMES = IDENTIFIER_NAMES.filter((name) => name !== 'userId');

export const RENAMING_FLAGS: readonly Flag[] = [
  {
    name: 'map-user',
    value: 'OLD=NEW',
    group: GROUP,
    repeatable: true,
    description: 'What is of the one user becomes the other’s, wherever they are named',
  },
  {
    name: 'map-id',
    value: 'NAME:OLD=NEW',
    group: GROUP,
    repeatable: true,
    description: `Another id of a layer; NAME is ${NAMES.join(', ')}`,
  },
  {
    name: 'map-layer',
    value: 'OLD=NEW',
    group: GROUP,
    repeatable: true,
    description: 'Groups (project, team, org, company) can become each other; agent and session can become user',
  },
];

/** Throws a usage error. */
export function renamingsFrom(given: Given): Renamings {
  const identifiers = new Map<IdentifierName, Map<string, string>>();
  for (const text of given.values('map-id')) {
    const [, name = '', rest = ''] = /^([^:]*):(.*)$/su.exec(text) ?? [];
    const known = NAMES.find((each) => each === name);
    if (known === undefined) {
      throw usageError(`--map-id accepts NAME:OLD=NEW, where NAME is ${NAMES.join(', ')}.`, given.command);
    }
    identifiers.set(known, (identifiers.get(known) ?? new Map<string, string>()).set(...pairIn(given, 'map-id', rest)));
  }
  const users = new Map(given.values('map-user').map((text) => pairIn(given, 'map-user', text)));
  return { users, identifiers, layers: layersFrom(given) };
}

function layersFrom(given: Given): ReadonlyMap<Layer, Layer> {
  const layerOf = (name: string): Layer => {
    const layer = LAYERS.find((each) => each === name);
    if (layer === undefined) throw usageError(`--map-layer: a layer is ${LAYERS.join(', ')}.`, given.command);
    return layer;
  };
  return new Map(
    given.values('map-layer').map((text) => {
      const [from, to] = pairIn(given, 'map-layer', text);
      return [layerOf(from), layerOf(to)];
    }),
  );
}

/** At the first equals sign. */
function pairIn(given: Given, flag: string, text: string): [from: string, to: string] {
  const at = text.indexOf('=');
  const [from, to] = [text.slice(0, at), text.slice(at + 1)];
  if (at > 0 && to !== '' && to.length <= 100) return [from, to];
  throw usageError(`--${flag} "${text}" does not say OLD=NEW.`, given.command);
}
