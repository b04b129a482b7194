/** The flags by which another command finds what this one has written, for hints that can be run as they stand. */

import { shownAddress } from '../compose/database-address.ts';
import type { Kind } from '../domain/kind.ts';
import { PERSONAL_LAYERS, REQUIRED_IDENTIFIERS, type Identifiers, type Layer } from '../domain/scope.ts';
import type { Given } from './command.ts';
import { databaseGiven } from './database-flags.ts';
import { IDENTIFIER_FLAGS } from './memory-flags.ts';

/** Where a command finds something: a layer, and on whose behalf. */
export interface Spot {
  /** Undefined for who runs the command. */
  readonly user: string | undefined;
  readonly layer: Layer;
  /** Of the layer, without the user; undefined for `user`, and for the tenant itself as the company. */
  readonly id: string | undefined;
}

interface Placed {
  readonly layer: Layer;
  readonly kind?: Kind | undefined;
  readonly identifiers?: Identifiers | undefined;
}

/** Where it lies that a user wrote. What a group knows is found on anybody's behalf. */
export function spotOf(user: string | undefined, { layer, kind = 'semantic', identifiers }: Placed): Spot {
  const isOfUser = PERSONAL_LAYERS.has(layer) || kind !== 'semantic';
  const name = idOf(layer);
  return { user: isOfUser ? user : undefined, layer, id: name && identifiers?.[name] };
}

/** Where `lamina quarantine list` finds it: by default in whatever is a user's own. */
export function reviewSpotOf(spot: Spot): Spot {
  const { user, layer, id } = spot;
  const isListed = PERSONAL_LAYERS.has(layer) || (layer === 'company' && id === undefined);
  return isListed ? { user, layer: 'user', id: undefined } : spot;
}

/** A secret is not repeated: of a token there is the flag alone, of an address with a password what may be shown. */
export function flagsAgain(given: Given, { user, layer, id }: Spot): string[] {
  const own = given.value('user');
  const database = databaseGiven(given);
  return [
    ...flag('user', user ?? own),
    ...placeFlag(layer, id),
    ...flag('tenant', given.value('tenant')),
    ...flag('url', given.value('url')),
    ...flag('token', given.value('token') && 'TOKEN'),
    ...flag('token-file', given.value('token-file')),
    ...flag('database', database && shownAddress(database)),
  ];
}

function idOf(layer: Layer): keyof Identifiers | undefined {
  return REQUIRED_IDENTIFIERS[layer].find((name) => name !== 'userId');
}

/** The id says the layer. */
function placeFlag(layer: Layer, id: string | undefined): string[] {
  if (layer === 'user') return [];
  const name = Object.keys(IDENTIFIER_FLAGS).find((each) => IDENTIFIER_FLAGS[each] === idOf(layer));
  return id === undefined || name === undefined ? flag('layer', layer) : flag(name, id);
}

/** In one word where the value would be taken for a flag. */
function flag(name: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];
}
