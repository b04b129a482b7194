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

export type Identifiers = { readonly [name in IdentifierName]?: string | undefined } & {
  /** The context that holds it. Callers cannot name it: access goes through the context's access list. */
  readonly contextId?: string | undefined;
};

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

/** A layer with the identifiers that it requires, or a context within it. */
export interface Scope {
  readonly layer: Layer;
  readonly identifiers: Identifiers;
}

/** Every principal has a user and a company: if one of these is missing, the caller gave identifiers without it. */
function hintFor(missing: readonly IdentifierName[]): string {
  return missing.includes('userId') || missing.includes('companyId')
    ? 'Identifiers that are given are taken as they are: name your own as well.'
    : `Name ${missing.length === 1 ? 'it' : 'them'} in the call.`;
}

/** Throws `MISSING_IDENTIFIER` if one is absent. */
export function scopeOf(layer: Layer, identifiers: Identifiers): Scope {
  const names = REQUIRED_IDENTIFIERS[layer];
  if (names.some((name) => identifiers[name] === undefined)) {
    const missing = missingIdentifiers(layer, identifiers);
    throw new LaminaError(
      'MISSING_IDENTIFIER',
      `The ${layer} layer requires ${names.join(' and ')}; missing: ${missing.join(', ')}. ${hintFor(missing)}`,
      { details: { layer, missing } },
    );
  }
  const own: { -readonly [name in keyof Identifiers]: Identifiers[name] } = {};
  for (const name of names) own[name] = identifiers[name];
  if (identifiers.contextId !== undefined) own.contextId = identifiers.contextId;
  return { layer, identifiers: own };
}

/** What is written, and what of it is looked for, mostly lies in one place after another. */
let latest: { readonly scope: Scope | undefined; readonly key: string } = { scope: undefined, key: '' };

/** A text that is equal only for equal scopes: user `u1` can never be taken for `u10`. */
export function scopeKey(scope: Scope): string {
  if (scope !== latest.scope) latest = { scope, key: keyOf(scope) };
  return latest.key;
}

function keyOf(scope: Scope): string {
  const { layer, identifiers } = scope;
  const values: (string | undefined)[] = [layer];
  for (const name of REQUIRED_IDENTIFIERS[layer]) values.push(identifiers[name]);
  if (identifiers.contextId !== undefined) values.push(identifiers.contextId);
  return JSON.stringify(values);
}

/** The scope that {@link scopeKey} gave this text for. */
export function scopeOfKey(key: string): Scope {
  const [layer, ...values] = JSON.parse(key) as [Layer, ...string[]];
  const names = REQUIRED_IDENTIFIERS[layer];
  const contextId = values[names.length];
  const required = Object.fromEntries(names.map((name, at) => [name, values[at]]));
  return { layer, identifiers: { ...required, ...(contextId !== undefined && { contextId }) } };
}
