/** Requests for an operation: valid ones that follow from what was answered before, the same with something wrong, and hostile ones. */

import fc from 'fast-check';
import type { SeededRandom } from '../../src/testing/seeded-random.ts';
import type { ApiDescription, ApiOperation } from './api-operations.ts';
import type { FuzzRequest } from './exchange.ts';
import { EXTRA_FIELDS, HOSTILE_TEXTS, RAW_JSON, SLOW_TEXTS } from './hostile-values.ts';
import { namedIn, type KnownValues, type Place } from './known-values.ts';
import { valuesOf } from './schema-values.ts';

export const KINDS = ['valid', 'mutated', 'hostile'] as const;
export type RequestKind = (typeof KINDS)[number];

/** Values of a schema are made this many at a time. */
const BATCH = 40;
const MARKED = new Set([
  'content',
  'description',
  'title',
  'goal',
  'message',
  'reason',
  'value',
  'name',
  'text',
  'query',
]);
/** Where a value is put that JSON.stringify does not write. */
const HOLE = '"\u2603 hole \u2603"';

export interface MadeRequest extends FuzzRequest {
  /** The ids and keys in its path and query. */
  readonly place: Place;
}

/** Operations whose paths begin alike are about the same things: `/v1/memory/plans`. */
export function rootOf({ path }: ApiOperation): string {
  return path.split('/').slice(0, 4).join('/');
}

/** By operation, what its path holds whatever is known. */
export type Given = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Input {
  readonly path: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  body: unknown;
}

export class RequestMaker {
  readonly #api: ApiDescription;
  readonly #random: SeededRandom;
  readonly #known: KnownValues;
  readonly #userId: string;
  readonly #given: Given;
  readonly #made = new Map<string, unknown[]>();

  constructor(api: ApiDescription, random: SeededRandom, known: KnownValues, userId: string, given: Given) {
    this.#api = api;
    this.#random = random;
    this.#known = known;
    this.#userId = userId;
    this.#given = given;
  }

  /** `mark` is a word that goes into texts of the body, to be found again where they were kept. */
  make(operation: ApiOperation, kind: RequestKind, mark: string): MadeRequest {
    const input = this.#valid(operation, mark);
    let body = input.body === undefined ? undefined : JSON.stringify(input.body);
    if (kind !== 'valid') {
      const isInBody = body !== undefined && (operation.parameters.length === 0 || this.#random.below(4) > 0);
      if (isInBody) body = this.#spoilBody(input.body, kind);
      else this.#spoilParameters(operation, input, kind);
    }
    return {
      place: { ...namedIn(input.query), ...namedIn(input.path) },
      method: operation.method,
      path: pathOf(operation, input),
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(operation.takesVersion && this.#random.below(6) === 0 && { 'If-Match': `"${1 + this.#random.below(3)}"` }),
      },
      body,
      isStream: operation.isStream,
    };
  }

  #valid(operation: ApiOperation, mark: string): Input {
    const input: Input = { path: {}, query: {}, body: undefined };
    for (const { name, in: place, required, schema } of operation.parameters) {
      if (place === 'path') input.path[name] = this.#following(name, this.#value(`${operation.id} ${name}`, schema));
      else if (required || this.#random.below(4) === 0) {
        const known = name === 'cursor' ? this.#known.pick(`cursor of ${operation.id}`) : undefined;
        if (name === 'cursor' && known === undefined) continue;
        const isJson = schema['contentMediaType'] === 'application/json';
        const value = isJson ? '{"a":1}' : this.#value(`${operation.id} ${name}`, schema);
        input.query[name] = known ?? this.#following(name, value);
      }
    }
    this.#placed(operation, input);
    Object.assign(input.path, this.#given[operation.id]);
    if (operation.body !== undefined) {
      input.body = this.#linked(operation.id, '', this.#value(`${operation.id} body`, operation.body), mark);
    }
    return input;
  }

  /** Mostly where something is known to lie. */
  #placed(operation: ApiOperation, input: Input): void {
    const names = Object.keys(input.path);
    if (names.length === 0 || this.#random.below(8) === 0) return;
    const whole = this.#known.place(rootOf(operation), names);
    const place = whole ?? this.#known.place(rootOf(operation), names.slice(0, 1));
    if (place === undefined) return;
    for (const name of names) input.path[name] = place[name] ?? input.path[name];
    for (const { name, required } of operation.parameters.filter(
      (each) => each.in === 'query' && each.name.endsWith('_id'),
    )) {
      if (place[name] !== undefined) input.query[name] = place[name];
      else if (!required) delete input.query[name];
    }
  }

  #value(name: string, schema: ApiOperation['body'] & object): unknown {
    let made = this.#made.get(name) ?? [];
    if (made.length === 0) {
      const seed = this.#random.below(2 ** 31);
      made = fc.sample(valuesOf(schema, this.#api.lookUp), { numRuns: BATCH, seed });
    }
    const value = made.pop();
    this.#made.set(name, made);
    return value;
  }

  /** The same value, or what is known under its name. */
  #following(name: string, value: unknown): unknown {
    if (typeof value !== 'string' || this.#random.below(5) === 0) return value;
    if (name === 'user_id') return this.#userId;
    return this.#known.pick(name) ?? value;
  }

  #linked(operation: string, name: string, value: unknown, mark: string): unknown {
    if (typeof value === 'string') {
      if (MARKED.has(name)) return `${value} ${mark}`;
      return name === 'cursor' ? (this.#known.pick(`cursor of ${operation}`) ?? value) : this.#following(name, value);
    }
    if (Array.isArray(value)) return value.map((item) => this.#linked(operation, name, item, mark));
    if (typeof value !== 'object' || value === null) return value;
    const linked = Object.entries(value).map(([key, inner]) => [key, this.#linked(operation, key, inner, mark)]);
    const fields = Object.fromEntries(linked) as Record<string, unknown>;
    if (typeof fields['layer'] === 'string' && this.#random.below(8) > 0) fields['identifiers'] = this.#identifiers();
    return fields;
  }

  #identifiers(): Record<string, string> {
    const others = ['agent', 'session', 'project', 'team', 'org', 'company'];
    const own = Object.fromEntries(others.map((each) => [`${each}_id`, `${each}-${this.#random.below(2)}`]));
    return { ...own, user_id: this.#userId };
  }

  #spoilBody(body: unknown, kind: RequestKind): string {
    const spot = this.#random.pick(spotsOf(body));
    const replacement = this.#replacement(kind);
    const dice = this.#random.below(10);
    if (dice === 0) return JSON.stringify(changed(body, spot, undefined)) ?? 'undefined';
    if (dice === 1) return withExtra(JSON.stringify(body), this.#random.pick(EXTRA_FIELDS), this.#random);
    if (dice === 2) return doubled(JSON.stringify(body));
    return (JSON.stringify(changed(body, spot, HOLE)) ?? '').replace(JSON.stringify(HOLE), () => replacement);
  }

  #replacement(kind: RequestKind): string {
    if (kind === 'mutated') return this.#random.pick(RAW_JSON);
    const text = this.#random.below(4) === 0 ? this.#random.pick(SLOW_TEXTS) : this.#random.pick(HOSTILE_TEXTS);
    return JSON.stringify(text);
  }

  #spoilParameters(operation: ApiOperation, input: Input, kind: RequestKind): void {
    const texts = kind === 'mutated' ? RAW_JSON.filter((each) => each.length < 5000) : HOSTILE_TEXTS;
    const parameter = operation.parameters.length === 0 ? undefined : this.#random.pick(operation.parameters);
    const dice = this.#random.below(10);
    if (parameter === undefined || dice === 0) input.query[this.#random.pick(texts)] = this.#random.pick(texts);
    else if (dice === 1 && parameter.in === 'query') delete input.query[parameter.name];
    else if (dice === 2) input.query[parameter.name] = [this.#random.pick(texts), this.#random.pick(texts)];
    else (parameter.in === 'path' ? input.path : input.query)[parameter.name] = this.#random.pick(texts);
  }
}

function pathOf({ path }: ApiOperation, input: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(input.path[name]));
  const pairs = Object.entries(input.query).flatMap(([name, value]) =>
    [value].flat().map((each) => `${encoded(name)}=${encoded(each)}`),
  );
  return pairs.length === 0 ? filled : `${filled}?${pairs.join('&')}`;
}

/** Also what is not well-formed, which then arrives as something else. */
function encoded(value: unknown): string {
  return encodeURIComponent(String(value).toWellFormed());
}

type Spot = readonly string[];

/** Where something stands in a value, the whole of it first. */
function spotsOf(value: unknown, at: Spot = []): Spot[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => spotsOf(inner, [...at, key]))];
}

function changed(value: unknown, [key, ...rest]: Spot, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? changed(item, rest, replacement) : item));
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: changed(fields[key], rest, replacement) };
}

/** Into one of the objects in it. */
function withExtra(text: string, extra: string, random: SeededRandom): string {
  const starts = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);
  const at = starts.length === 0 ? 0 : random.pick(starts);
  return `${text.slice(0, at)}${extra}${text[at] === '}' ? '' : ','}${text.slice(at)}`;
}

/** Every field of the outermost object twice. */
function doubled(text: string): string {
  return text.length > 2 ? `${text.slice(0, -1)},${text.slice(1)}` : text;
}
