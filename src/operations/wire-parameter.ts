/** One value of an operation's input as text in a URL: in the path or in the query. */

import { snakeCase } from '../domain/spelling.ts';
import { dereference, type JsonSchema } from './wire-schema.ts';

type ParameterType = 'string' | 'integer' | 'number' | 'boolean' | 'json';

export interface Parameter {
  /** In snake_case, as in the URL. */
  readonly name: string;
  /** In camelCase, which is accepted too. */
  readonly camelName: string;
  /** Where it goes in the input: a field, or a field of a field. */
  readonly at: readonly [string] | readonly [string, string];
  readonly type: ParameterType;
  readonly isRepeatable: boolean;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** What was expected, if a text or a value does not fit its parameter. */
export class Misfit {
  readonly expected: string;
  constructor(expected: string) {
    this.expected = expected;
  }
}

const NOUNS: Record<ParameterType, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  json: 'a JSON object',
};

const DECIMAL = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

export function parameterOf(at: Parameter['at'], schema: JsonSchema, root: JsonSchema, isRequired: boolean): Parameter {
  const target = dereference(schema, root);
  const isRepeatable = target.type === 'array';
  const item = isRepeatable ? dereference(target.items ?? {}, root) : target;
  const camelName = at.at(-1) ?? '';
  const type = typeOf(item);
  return { name: snakeCase(camelName), camelName, at, type, isRepeatable, isRequired, schema };
}

function typeOf({ type }: JsonSchema): ParameterType {
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean' ? type : 'json';
}

/** The value that a text in a URL stands for. */
export function readText(type: ParameterType, text: string): unknown {
  switch (type) {
    case 'string':
      return text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : new Misfit(NOUNS[type]);
    case 'integer':
    case 'number':
      return DECIMAL.test(text) && Number.isFinite(Number(text)) ? Number(text) : new Misfit(NOUNS[type]);
    case 'json':
      return readJson(text);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new Misfit(NOUNS.json);
  }
}

/**
 * The texts that parse back to this value. A value of another type has none; an empty array is one empty text, because no
 * text at all would mean that the parameter is absent.
 */
export function writeTexts({ type, isRepeatable }: Parameter, value: unknown): string[] | Misfit {
  if (isRepeatable !== Array.isArray(value)) return new Misfit(isRepeatable ? 'an array' : NOUNS[type]);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  if (values.length === 0) return [''];
  if (type === 'json') return values.map((item) => JSON.stringify(item));
  const expected = type === 'integer' ? 'number' : type;
  return values.every((item) => typeof item === expected) ? values.map(String) : new Misfit(NOUNS[type]);
}
