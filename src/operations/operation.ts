/** What an operation is: one row of the table that drives HTTP, OpenAPI, the client and the library. */

import type { z } from 'zod';
import type { ErrorCode } from '../domain/error.ts';

export interface HttpBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Placeholders such as `{id}` are top-level fields of the input. */
  readonly path: string;
  /** Other paths of the same operation, with the same placeholders. */
  readonly aliases?: readonly string[];
  /** The protocol that it is part of, whose headers every response carries, even a failure. */
  readonly protocol?: 'openspec';
  /** Status of success. 204 has no body: see {@link Operation.empty}. */
  readonly status: 200 | 201 | 204;
  /** A field of the input that travels as the `If-Match` header: a version, as the `ETag` of an answer gives it. */
  readonly ifMatch?: string;
  /** Whether `If-None-Match: *` is understood too: the same field as 0, meaning that nothing may exist yet. */
  readonly ifNoneMatch?: boolean;
  /** For a stream: a field of the input that may also come as the `Last-Event-ID` header, which then takes precedence. */
  readonly lastEventId?: string;
  /** Fields that travel in the query string although there is a body. */
  readonly query?: readonly string[];
  /** Fields whose query parameter has a different name: `{ query: 'q' }`. */
  readonly names?: Readonly<Record<string, string>>;
}

export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Absent extends z.output<Output> | null = z.output<Output> | null,
> {
  /** Its heading in the documentation. */
  readonly group: string;
  /** One line: what it does. */
  readonly summary: string;
  /** Further details. Markdown. */
  readonly description?: string;
  readonly input: Input;
  readonly output: Output;
  readonly http: HttpBinding;
  /** What it answers if the thing does not exist: an output or null in the library, 404 with this code over HTTP. */
  readonly absent?: { readonly output: Absent; readonly code: 'MEMORY_NOT_FOUND' | 'NOT_FOUND' };
  /** The output that a 204 stands for. */
  readonly empty?: z.output<Output>;
  /** Errors that cannot be derived from the fields of the input. */
  readonly errors?: readonly ErrorCode[];
  /** False if repeating it has a further effect or a different answer: then a client does not retry on its own. */
  readonly isRepeatable?: boolean;
  /** Whether it only reads, although its input is too large for a GET. */
  readonly isReading?: boolean;
  /** Whether a turn waits for it: then a client retries at once, and only once. */
  readonly isUrgent?: boolean;
  /** Whether it streams outputs for as long as it is followed: see {@link Stream}. */
  readonly isStream?: boolean;
  /** One real call and answer, for the documentation. A test checks them against their schemas. */
  readonly example: { readonly input: z.input<Input>; readonly output: z.output<Output> };
}

/** What every item of a stream has: its position, by which it can be resumed, and its type. */
type StreamItem = z.ZodObject & {
  readonly shape: { readonly id: z.ZodType<string>; readonly type: z.ZodType<string> };
};

/** An operation that is followed: an iteration in the library, server-sent events over HTTP. */
export interface Stream<
  Input extends z.ZodObject = z.ZodObject,
  Output extends StreamItem = StreamItem,
> extends Operation<Input, Output, never> {
  readonly isStream: true;
}

/** What an operation returns in the library: its output, or null if that is how it reports absence. */
export type OutputOf<Row extends Operation> =
  | z.output<Row['output']>
  | Extract<NonNullable<Row['absent']>['output'], null>;

/** Keeps the literal types of a row. */
export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodObject,
  Absent extends z.output<Output> | null = never,
>(row: Operation<Input, Output, Absent>): Operation<Input, Output, Absent> {
  return row;
}

/** The same for a stream. */
export function stream<Input extends z.ZodObject, Output extends StreamItem>(
  row: Omit<Stream<Input, Output>, 'isStream' | 'absent' | 'empty'>,
): Stream<Input, Output> {
  return { ...row, isStream: true };
}

/** Whether this output stands for "not there". */
export function isAbsence({ absent }: Operation, output: object | null): boolean {
  if (!absent) return false;
  if (absent.output === null || output === null) return absent.output === output;
  return Object.entries(absent.output).every(([key, value]) => (output as Record<string, unknown>)[key] === value);
}
