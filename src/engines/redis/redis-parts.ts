/**
 * Parts of values: what was appended, added or merged in the database while Redis, where the rest may lie, was out of
 * reach. They are state beside the namespace that they are about, as removals are: see there. A part says itself what is
 * to be done with it: a list is appended, a number added, an object merged.
 */

import { LaminaError } from '../../domain/error.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { mutated, type Mutation, type StateItem } from '../../domain/state.ts';

const PARTS = ',2]';

/** Where the parts stand of the values of a namespace. */
export function partsNamespace(namespace: string): string {
  return namespace.slice(0, -1) + PARTS;
}

/** The namespace whose parts stand there; undefined where none do. */
export function partsIn(place: string): string | undefined {
  return place.endsWith(PARTS) ? `${place.slice(0, -PARTS.length)}]` : undefined;
}

/** Whether a mutation can be made without what it builds on, and combined with that later. */
export function isAdditive(mutation: Mutation): boolean {
  if (mutation.type !== 'append' && mutation.type !== 'increment' && mutation.type !== 'merge') return false;
  return (mutation.path ?? []).length === 0;
}

/** What a part is to do to the value that it is a part of. */
function additionOf(part: Json): Mutation {
  if (Array.isArray(part)) return { type: 'append', items: part as readonly Json[] };
  if (typeof part === 'number') return { type: 'increment', by: part };
  return { type: 'merge', fields: part as JsonObject };
}

/** Whether a mutation goes on with what the part has begun: of several kinds nobody could tell the order later. */
export function goesOn(part: Json, mutation: Mutation): boolean {
  return additionOf(part).type === mutation.type;
}

/** How much of a part was combined: of which one, at which version, and up to where in it. */
type Progress = readonly [createdAt: string, version: number, done: number];

export interface Combined {
  readonly value: Json;
  /** To be kept with the value, so that nothing of the part comes to be there twice. */
  readonly note: string;
}

/**
 * The value with the part, as far as that is not in it yet. Undefined where all of it is. What does not go together, such
 * as a list and a number, is settled as everything else is: the newer one stays.
 */
export function combined(
  part: Pick<StateItem, 'key' | 'value' | 'version' | 'createdAt' | 'updatedAt'>,
  base: { readonly value: Json; readonly updatedAt: number } | undefined,
  noted: string | null,
): Combined | undefined {
  const { key, value, version, createdAt, updatedAt } = part;
  const [since, until, done] = noted === null ? [] : (JSON.parse(noted) as Progress);
  if (since === createdAt && until === version) return undefined;
  const rest = since === createdAt && done !== undefined ? restOf(value, done) : value;
  const progress: Progress = [createdAt, version, sizeOf(value)];
  const note = JSON.stringify(progress);
  try {
    return { value: sumOf(base?.value, rest) ?? mutated(key, base?.value, additionOf(rest)), note };
  } catch (error) {
    if (!(error instanceof LaminaError)) throw error;
    const isNewer = base === undefined || Date.parse(updatedAt) >= base.updatedAt;
    return { value: isNewer ? value : base.value, note };
  }
}

/** Of two numbers. One that is too large to be exact was refused to nobody: better that than only one of them. */
function sumOf(base: Json | undefined, rest: Json): number | undefined {
  if (typeof base !== 'number' || typeof rest !== 'number' || !Number.isFinite(base + rest)) return undefined;
  return base + rest;
}

function sizeOf(part: Json): number {
  if (Array.isArray(part)) return part.length;
  return typeof part === 'number' ? part : 0;
}

/** Fields can be set again. */
function restOf(part: Json, done: number): Json {
  if (Array.isArray(part)) return part.slice(done) as Json;
  return typeof part === 'number' ? part - done : part;
}
