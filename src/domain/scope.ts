/** Layers and scopes: whose memory it is. */

import { LaminaError } from './error.ts';

/** From most to least specific; the order is the precedence when layers disagree. */
export const LAYERS = ['agent', 'user', 'session', 'project', 'team', 'org', 'company'] as const;

export type Layer = (typeof LAYERS)[number];

export const IDENTIFIER_NAMES = [
  'agentId',
  'userId',
  'sessionId',
  'projectId',
  'teamId',
  'orgId',
  'companyId',
] as const;

export type IdentifierName = (typeof IDENTIFIER_NAMES)[number];

export type Identifiers = { readonly [name in IdentifierName]?: string | undefined };

/** The identifiers that each layer requires. */
export const REQUIRED_IDENTIFIERS: { readonly [layer in Layer]: readonly IdentifierName[] } = {
  agent: ['userId', 'agentId'],
  user: ['userId'],
  session: ['userId', 'sessionId'],
  project: ['projectId'],
  team: ['teamId'],
  org: ['orgId'],
  company: ['companyId'],
};

/** Layers that belong to one person (or autonomous agent); the others belong to a group. */
export const PERSONAL_LAYERS: ReadonlySet<Layer> = new Set(['agent', 'user', 'session']);

/** 1 for the most specific layer, 7 for the least. */
export function layerPrecedence(layer: Layer): number {
  return LAYERS.indexOf(layer) + 1;
}

function missingIdentifiers(layer: Layer, identifiers: Identifiers): IdentifierName[] {
  return REQUIRED_IDENTIFIERS[layer].filter((name) => identifiers[name] === undefined);
}

/** The layers that these identifiers open, most specific first. */
export function accessibleLayers(identifiers: Identifiers): Layer[] {
  return LAYERS.filter((layer) => missingIdentifiers(layer, identifiers).length === 0);
}

/** A layer with the identifiers that it requires. Throws `MISSING_IDENTIFIER` when one is absent. */
export interface Scope {
  readonly layer: Layer;
  readonly identifiers: Identifiers;
}

export function scopeOf(layer: Layer, identifiers: Identifiers): Scope {
  const missing = missingIdentifiers(layer, identifiers);
  if (missing.length > 0) {
    throw new LaminaError(
      'MISSING_IDENTIFIER',
      `The ${layer} layer requires ${REQUIRED_IDENTIFIERS[layer].join(' and ')}; missing: ${missing.join(', ')}. ` +
        'Identifiers that are given are taken as they are: name your own as well.',
      { details: { layer, missing } },
    );
  }
  const required = REQUIRED_IDENTIFIERS[layer].map((name) => [name, identifiers[name]]);
  return { layer, identifiers: Object.fromEntries(required) as Identifiers };
}

/** A text that is equal for equal scopes only: user `u1` can never be taken for `u10`. */
export function scopeKey(scope: Scope): string {
  return JSON.stringify([scope.layer, ...REQUIRED_IDENTIFIERS[scope.layer].map((name) => scope.identifiers[name])]);
}

/** The scope that {@link scopeKey} gave this text for. */
export function scopeOfKey(key: string): Scope {
  const [layer, ...values] = JSON.parse(key) as [Layer, ...string[]];
  return { layer, identifiers: Object.fromEntries(REQUIRED_IDENTIFIERS[layer].map((name, at) => [name, values[at]])) };
}
