/**
 * Outputs as JSON text in their wire form. For each shape of an operation's output a function is made from source text,
 * in which the fields stand by name: V8 then builds every object at once, where renaming field by field makes a hash
 * table of it. Measured, a list of 50 entries is answered with a seventh less work. For the service only: a browser
 * may not be allowed to make functions from text.
 */

import { LaminaError } from '../domain/error.ts';
import { OPERATIONS, type OperationName } from './table.ts';
import { shapeOf, type Shape } from './wire-mapper.ts';
import { jsonSchemaOf, type JsonSchema } from './wire-schema.ts';

/** The text of an output. Fields that its schema does not name are left out. */
export type Stringify = (output: unknown) => string;

type Rename = (value: unknown) => unknown;

const compiled = new Map<OperationName, Stringify>();

/** Compiled on first use, then kept. */
export function stringifierOf(name: OperationName): Stringify {
  let stringify = compiled.get(name);
  if (!stringify) {
    stringify = compileStringifier(jsonSchemaOf(OPERATIONS[name].output, 'output'));
    compiled.set(name, stringify);
  }
  return stringify;
}

export function compileStringifier(schema: JsonSchema): Stringify {
  const shape = shapeOf(schema);
  if (!shape) return (output) => JSON.stringify(output);
  const rename = compileRename(shape, new Map());
  return (output) => JSON.stringify(rename(output));
}

/** Shapes may hold themselves, so there is a function for each before it is known what it does. */
function compileRename(shape: Shape, known: Map<Shape, Rename>): Rename {
  const earlier = known.get(shape);
  if (earlier) return earlier;
  let renameFields: Rename = (value) => value;
  const rename: Rename = (value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) return renameFields(value);
    return renameItem ? value.map(renameItem) : value;
  };
  known.set(shape, rename);
  const renameItem = shape.items && compileRename(shape.items, known);
  renameFields = compileFields(shape, known);
  return rename;
}

function compileFields(shape: Shape, known: Map<Shape, Rename>): Rename {
  const renameValue = shape.values && compileRename(shape.values, known);
  if (renameValue) {
    if (shape.fields.size > 0) {
      throw new LaminaError('CONFIGURATION_ERROR', 'An output has either fields or keys of its own, not both.');
    }
    return (value) => Object.fromEntries(Object.entries(value as object).map(([key, of]) => [key, renameValue(of)]));
  }
  // Each stands there under both of its spellings.
  const fields = [...new Set(shape.fields.values())];
  const inner = fields.map((field) => field.shape && compileRename(field.shape, known));
  const texts = fields.map(({ name, wireName }, index) => {
    const value = `value[${JSON.stringify(name)}]`;
    return `${JSON.stringify(wireName)}: ${inner[index] ? `inner[${index}](${value})` : value}`;
  });
  // Nothing but names of our own schemas goes into the text.
  // oxlint-disable-next-line typescript/no-implied-eval -- see above: this is what makes it fast
  return new Function('inner', `return (value) => ({ ${texts.join(', ')} });`)(inner) as Rename;
}
