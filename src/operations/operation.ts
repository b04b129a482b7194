/** What an operation is: one row of the table that drives HTTP, OpenAPI, the client and the library. */

import type { z } from 'zod';

export interface HttpBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Placeholders such as `{id}` are top-level fields of the input. */
  readonly path: string;
  /** Status of success. */
  readonly status: 200 | 201;
}

export interface Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** One line: what it does. */
  readonly summary: string;
  /** More, where there is more to know. Markdown. */
  readonly description?: string;
  readonly input: Input;
  readonly output: Output;
  readonly http: HttpBinding;
  /** What it answers when the thing is not there: an output in the library, 404 over HTTP. */
  readonly absent?: z.output<Output>;
}

/** Keeps the literal types of a row. */
export function operation<Input extends z.ZodObject, Output extends z.ZodObject>(
  row: Operation<Input, Output>,
): Operation<Input, Output> {
  return row;
}
