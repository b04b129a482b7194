/** What an operation is: one row of the table that drives HTTP, OpenAPI, the client and the library. */

import type { z } from 'zod';
import type { ErrorCode } from '../domain/error.ts';

export interface HttpBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Placeholders such as `{id}` are top-level fields of the input. */
  readonly path: string;
  /** Other paths of the same operation, with the same placeholders. */
  readonly aliases?: readonly string[];
  /** The protocol that it is part of, whose headers every answer carries, also of a failure. */
  readonly protocol?: 'openspec';
  /** Status of success. 204 has no body: see {@link Operation.empty}. */
  readonly status: 200 | 201 | 204;
  /** A field of the input that travels as the `If-Match` header: a version, as the `ETag` of an answer gives it. */
  readonly ifMatch?: string;
  /** Whether `If-None-Match: *` is understood too: the same field as 0, for nothing may stand there yet. */
  readonly ifNoneMatch?: boolean;
  /** Of a stream: a field of the input that may also come as the `Last-Event-ID` header, which then counts. */
  readonly lastEventId?: string;
  /** Fields that travel in the query string although there is a body. */
  readonly query?: readonly string[];
  /** Fields whose parameter in the query string has another name than theirs: `{ query: 'q' }`. */
  readonly names?: Readonly<Record<string, string>>;
}

export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
  Absent extends z.output<Output> | null = z.output<Output> | null,
> {
  /** Under which heading the documentation has it. */
  readonly group: string;
  /** One line: what it does. */
  readonly summary: string;
  /** More, where there is more to know. Markdown. */
  readonly description?: string;
  readonly input: Input;
  readonly output: Output;
  readonly http: HttpBinding;
  /** What it answers when the thing is not there: an output or null in the library, 404 with this code over HTTP. */
  readonly absent?: { readonly output: Absent; readonly code: 'MEMORY_NOT_FOUND' | 'NOT_FOUND' };
  /** The output that a 204 stands for. */
  readonly empty?: z.output<Output>;
  /** Errors that cannot be told from the fields of the input. */
  readonly errors?: readonly ErrorCode[];
  /** False where doing it twice does more than doing it once: then a client does not try again by itself. */
  readonly isRepeatable?: boolean;
  /** Whether it only reads, although its input is too large for a GET. */
  readonly isReading?: boolean;
  /** Whether somebody waits for it in the middle of a turn: then a client tries again at once, and once only. */
  readonly isUrgent?: boolean;
  /** Whether it answers with one output after the other, for as long as it is followed: see {@link Stream}. */
  readonly isStream?: boolean;
  /** One real call and answer, for the documentation. A test holds them to their schemas. */
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

/** What an operation gives in the library: its output, or null where that is how it says that nothing is there. */
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
