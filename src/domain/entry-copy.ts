/**
 * Copies of an entry that is held in memory, to be given away: whoever has one may change it, and nobody else notices. What a copy was
 * made of is known as long as there is the copy, so that what says the same need not be worked out for each, such as its JSON.
 */

import type { Entry } from './entry.ts';

/** As a constructor it hands on the object that it is given, so that a class can put a private field into one that it did not make. */
const Given = function given(object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** A private field takes part in no comparison and is not copied along. A `WeakMap` would say the same, and take half of a list's time. */
class Copied extends Given {
  readonly #original: Entry;

  private constructor(copy: Entry, original: Entry) {
    super(copy);
    this.#original = original;
  }

  static of(copy: Entry, original: Entry): Entry {
    return new Copied(copy, original) as unknown as Entry;
  }

  static originalOf(value: object): Entry | undefined {
    return #original in value ? value.#original : undefined;
  }
}

/** What this is a copy of, if it is one. It says the same unless the copy was changed, which Lamina itself never does. */
export function originalOf(value: object): Entry | undefined {
  return Copied.originalOf(value);
}

/** Nothing of it is shared with the original. */
export function copyOfEntry(entry: Entry): Entry {
  const copy = { ...entry };
  copy.identifiers = { ...entry.identifiers };
  copy.metadata = copyOf(entry.metadata);
  copy.tags = [...entry.tags];
  if (entry.source !== undefined) copy.source = { ...entry.source };
  if (entry.knowledgePointer !== undefined) copy.knowledgePointer = { ...entry.knowledgePointer };
  if (entry.provenance !== undefined) copy.provenance = copyOf(entry.provenance);
  return Copied.of(copy, entry);
}

function copyOf<Json>(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as Json;
  const copy = { ...value };
  for (const key in copy) if (typeof copy[key] === 'object') copy[key] = copyOf(copy[key]);
  return copy;
}
