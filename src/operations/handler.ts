/** What stands behind an operation. */

import type { z } from 'zod';
import type { Core } from '../core/core.ts';
import type { Principal } from '../domain/principal.ts';
import type { Operation, OutputOf } from './operation.ts';

/** One handler for each row of a part of the table: takes the validated input, gives the output. */
export type Handlers<Rows extends { readonly [name: string]: Operation }> = {
  readonly [Name in keyof Rows]: (
    core: Core,
    principal: Principal,
    input: z.output<Rows[Name]['input']>,
  ) => Promise<OutputOf<Rows[Name]>>;
};
