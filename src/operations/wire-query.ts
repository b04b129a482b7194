/**
 * An operation's input as a query string. Objects are flattened one level (`identifiers.userId` is `user_id`),
 * arrays are repeated parameters, free JSON is JSON text.
 */

import { LaminaError } from '../domain/error.ts';
import { Misfit, parameterOf, readText, writeTexts, type Parameter } from './wire-parameter.ts';
import { dereference, type JsonSchema } from './wire-schema.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

export interface QueryTable {
  readonly parameters: readonly Parameter[];
  /** The input (camelCase) that a query string stands for. Throws `VALIDATION_FAILED` naming the parameters. */
  decode(search: string): Record<string, unknown>;
  /** The inverse; throws `VALIDATION_FAILED` for values that a query string cannot represent. */
  encode(input: Readonly<Record<string, unknown>>): string;
}

/**
 * `names` are parameters with a name other than that of their field, which is accepted too. Throws `CONFIGURATION_ERROR`
 * when two fields would have the same parameter.
 */
export function compileQuery(
  schema: JsonSchema,
  except: ReadonlySet<string>,
  names: Readonly<Record<string, string>> = {},
): QueryTable {
  const parameters = parametersOf(schema, except).map((parameter) => {
    const name = parameter.at.length === 1 ? names[parameter.camelName] : undefined;
    return name === undefined ? parameter : { ...parameter, name };
  });
  const byName = new Map<string, Parameter>();
  for (const parameter of parameters) {
    for (const name of new Set([parameter.name, parameter.camelName])) {
      const earlier = byName.get(name);
      if (earlier) {
        const places = `"${earlier.at.join('.')}" and "${parameter.at.join('.')}"`;
        throw new LaminaError('CONFIGURATION_ERROR', `${places} are both "${name}" in a query string.`);
      }
      byName.set(name, parameter);
    }
  }
  return {
    parameters,
    decode: (search) => decodeQuery(byName, search),
    encode: (input) => encodeQuery(parameters, input),
  };
}

function parametersOf(root: JsonSchema, except: ReadonlySet<string>): Parameter[] {
  const required = new Set(root.required);
  return Object.entries(root.properties ?? {})
    .filter(([field]) => !except.has(field))
    .flatMap(([field, schema]) => {
      const { properties } = dereference(schema, root);
      if (!properties) return [parameterOf([field], schema, root, required.has(field))];
      return Object.entries(properties).map(([inner, inside]) => parameterOf([field, inner], inside, root, false));
    });
}

function decodeQuery(byName: ReadonlyMap<string, Parameter>, search: string): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  if (search === '') return input;
  const problems: Problem[] = [];
  for (const [name, texts] of group(search)) {
    const parameter = byName.get(name);
    const problem = parameter ? put(input, parameter, texts) : `unknown parameter; known are: ${namesOf(byName)}`;
    if (problem !== undefined) problems.push({ path: name, message: problem });
  }
  refuse(problems);
  return input;
}

function namesOf(byName: ReadonlyMap<string, Parameter>): string {
  return [...new Set([...byName.values()].map(({ name }) => name))].join(', ') || 'none';
}

function group(search: string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = unescape(equals < 0 ? pair : pair.slice(0, equals), pair);
    const text = unescape(equals < 0 ? '' : pair.slice(equals + 1), name);
    const texts = groups.get(name);
    if (texts) texts.push(text);
    else groups.set(name, [text]);
  }
  return groups;
}

function unescape(text: string, parameter: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return refuse([{ path: parameter.slice(0, 100), message: 'is not valid percent-encoding' }]) as never;
  }
}

/** Puts the value into the input; returns what is wrong with it, if anything. */
function put(input: Record<string, unknown>, parameter: Parameter, texts: readonly string[]): string | undefined {
  if (!parameter.isRepeatable && texts.length > 1) return 'given more than once';
  const values = texts.map((text) => readText(parameter.type, text));
  const misfit = values.find((value) => value instanceof Misfit);
  if (misfit) return `expected ${misfit.expected}`;
  const [field, inner] = parameter.at;
  const target = inner === undefined ? input : ((input[field] ??= {}) as Record<string, unknown>);
  const key = inner ?? field;
  if (Object.hasOwn(target, key)) return `given twice, as "${parameter.name}" and "${parameter.camelName}"`;
  target[key] = parameter.isRepeatable ? values : values[0];
  return undefined;
}

function encodeQuery(parameters: readonly Parameter[], input: Readonly<Record<string, unknown>>): string {
  const problems: Problem[] = [];
  // Nothing may be dropped silently: a field without a parameter is sent under its path, for the server to refuse.
  const pairs = unknownPaths(parameters, input).map((path) => `${encodeURIComponent(path)}=`);
  for (const parameter of parameters) {
    const value = valueAt(input, parameter.at);
    if (value === undefined) continue;
    const texts = writeTexts(parameter, value);
    if (texts instanceof Misfit) problems.push({ path: parameter.name, message: `expected ${texts.expected}` });
    else pairs.push(...texts.map((text) => `${parameter.name}=${encodeURIComponent(text)}`));
  }
  refuse(problems);
  return pairs.join('&');
}

function valueAt(input: Readonly<Record<string, unknown>>, [field, inner]: Parameter['at']): unknown {
  const value = input[field];
  if (inner === undefined) return value;
  return isObject(value) ? value[inner] : undefined;
}

function unknownPaths(parameters: readonly Parameter[], input: Readonly<Record<string, unknown>>): string[] {
  const known = new Set(parameters.map(({ at }) => at.join('.')));
  const parents = new Set(parameters.filter(({ at }) => at.length === 2).map(({ at }) => at[0]));
  return Object.entries(input).flatMap(([field, value]) => {
    if (value === undefined || known.has(field)) return [];
    if (!parents.has(field) || !isObject(value)) return [field];
    return Object.keys(value)
      .map((inner) => `${field}.${inner}`)
      .filter((path) => !known.has(path));
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const sentence = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new LaminaError('VALIDATION_FAILED', `The input does not fit: ${sentence}.`, { details: { problems } });
}
