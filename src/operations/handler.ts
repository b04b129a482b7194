/** The handler of an operation. */

import type { z } from 'zod';
import type { Core } from '../core/core.ts';
import type { Awaitable } from '../domain/awaitable.ts';
import type { Principal } from '../domain/principal.ts';
import type { StreamPage } from '../domain/stream.ts';
import type { Operation, OutputOf, Stream } from './operation.ts';

/** Takes the validated input, gives the output. */
export type CallHandler<Row extends Operation> = (
  core: Core,
  principal: Principal,
  input: z.output<Row['input']>,
) => Awaitable<OutputOf<Row>>;

/** Yields outputs, page by page, until the signal aborts. */
export type StreamHandler<Row extends Operation> = (
  core: Core,
  principal: Principal,
  input: z.output<Row['input']>,
  signal: AbortSignal,
) => AsyncIterable<StreamPage<z.output<Row['output']>>>;

/** One handler for each row of a part of the table. */
export type Handlers<Rows extends { readonly [name: string]: Operation }> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Stream ? StreamHandler<Rows[Name]> : CallHandler<Rows[Name]>;
};
