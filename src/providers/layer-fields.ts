/** Layers in the metadata of a server that knows none: `_layer`, and the identifiers of the scope as `_projectId` and so on. */

import { invalidField } from '../domain/error.ts';
import type { MemoryMetadata } from '../domain/provider.ts';
import { IDENTIFIER_NAMES, LAYERS, REQUIRED_IDENTIFIERS, type Layer, type Scope } from '../domain/scope.ts';

const LAYER_FIELD = '_layer';
const RESERVED: ReadonlySet<string> = new Set([LAYER_FIELD, ...IDENTIFIER_NAMES.map((name) => `_${name}`)]);

/** What is written with every memory of this scope, and asked for whenever it is looked into. */
export function layerFieldsOf({ layer, identifiers }: Scope): Record<string, string> {
  const own = REQUIRED_IDENTIFIERS[layer].map((name) => [`_${name}`, identifiers[name] ?? '']);
  return { [LAYER_FIELD]: layer, ...Object.fromEntries(own) };
}

/** The scope that these fields name; undefined for what was not written from here, or not completely. */
export function scopeIn(fields: Readonly<Record<string, unknown>>): Scope | undefined {
  const layer = LAYERS.find((known): known is Layer => known === fields[LAYER_FIELD]);
  if (layer === undefined) return undefined;
  const own = REQUIRED_IDENTIFIERS[layer].map((name) => [name, fields[`_${name}`]] as const);
  if (own.some(([, value]) => typeof value !== 'string' || value === '')) return undefined;
  return { layer, identifiers: Object.fromEntries(own) };
}

/** Metadata without the fields of the layer. */
export function withoutLayerFields(fields: Readonly<Record<string, unknown>>): MemoryMetadata {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !RESERVED.has(name)));
}

/** Throws `VALIDATION_FAILED` for metadata that would move a memory into another layer, or that the server uses itself. */
export function assertFreeNames(metadata: MemoryMetadata, taken: ReadonlySet<string>): void {
  const name = Object.keys(metadata).find((key) => RESERVED.has(key) || taken.has(key));
  if (name !== undefined) throw invalidField(`metadata.${name}`, 'is used by the provider; take another name');
}
