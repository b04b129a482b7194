/**
 * The value of an item whose text was corrected elsewhere: by `memory.update`, a tool, the command line. That caller sees
 * only the text, not the value from which it was made.
 */

import { DEFAULT_LIMITS } from '../domain/limits.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { partsOf, textOf, type Indexing } from './item-text.ts';

/** Stands for the field in question; no stored text has it. */
const HOLE = '\0';

/** A value with more fields is not searched for the one that is meant. */
const MAX_FIELDS = 50;

type Field = readonly string[];

interface Reading {
  readonly field: Field;
  readonly said: Json;
}

/**
 * The value with the one field changed by which the content differs from its text; in any order of the lines, because
 * databases keep no order of fields. The value as it was put where the content does not say which field it means.
 */
export function correctedValue(value: JsonObject, index: Indexing, content: string): JsonObject {
  const text = textOf(value, index);
  if (text === undefined || text === content || text.length >= DEFAULT_LIMITS.contentLength) return value;
  const fields = [...fieldsOf(value)];
  if (fields.length > MAX_FIELDS) return value;
  const readings = fields.flatMap((field) => readingsOf(value, index, field, content));
  const [reading] = readings;
  return reading === undefined || readings.length > 1
    ? value
    : (withField(value, reading.field, reading.said) as JsonObject);
}

/** What the content says of a field, where it says all that the other fields do. */
function readingsOf(value: JsonObject, index: Indexing, field: Field, content: string): Reading[] {
  const parts = partsOf(withField(value, field, HOLE) as JsonObject, index);
  const [before, after, ...more] = parts.filter((part) => part.includes(HOLE)).flatMap((part) => part.split(HOLE));
  if (before === undefined || after === undefined || more.length > 0) return [];
  const rest = without(
    content,
    parts.filter((part) => !part.includes(HOLE)),
  );
  if (rest === undefined) return [];
  // Where nothing else is said, the name of the field may be left out.
  const isAlone = parts.length === 1 && after === '';
  const isFramed = rest.startsWith(before) && rest.slice(before.length).endsWith(after);
  if (!isFramed && !isAlone) return [];
  const said = alike(valueAt(value, field), isFramed ? rest.slice(before.length, rest.length - after.length) : rest);
  return said === undefined ? [] : [{ field, said }];
}

/** The text without some whole lines of it; undefined where it lacks one. */
function without(text: string, lines: readonly string[]): string | undefined {
  let rest = `\n${text}\n`;
  for (const line of lines) {
    const at = rest.indexOf(`\n${line}\n`);
    if (at === -1) return undefined;
    rest = rest.slice(0, at) + rest.slice(at + line.length + 1);
  }
  return rest.slice(1, -1);
}

/** The text as what stood there before: a text, a number, a truth. */
function alike(before: Json | undefined, text: string): Json | undefined {
  if (typeof before === 'string') return text;
  if (typeof before === 'boolean') return { true: true, false: false }[text.trim()];
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : undefined;
}

function* fieldsOf(value: Json, field: Field = []): Generator<Field, void> {
  if (value === null) return;
  if (typeof value !== 'object') yield field;
  else for (const [step, inner] of Object.entries(value)) yield* fieldsOf(inner, [...field, step]);
}

function valueAt(value: Json, field: Field): Json | undefined {
  return field.reduce<Json | undefined>((inner, step) => (inner as JsonObject | undefined)?.[step], value);
}

function withField(value: Json, [step, ...rest]: Field, said: Json): Json {
  if (step === undefined) return said;
  const inner = withField((value as JsonObject)[step] ?? null, rest, said);
  return Array.isArray(value)
    ? (value as Json[]).with(Number(step), inner)
    : { ...(value as JsonObject), [step]: inner };
}
