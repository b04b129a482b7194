/** How a kind of record lies in a table, told once for every SQL engine. */

import { snakeCase } from '../../domain/spelling.ts';
import type { Recorded } from '../../ports/record-store.ts';

/** `json` is free JSON, `time` an instant; how an engine stores either is its own business. */
export type ColumnType = 'text' | 'json' | 'time' | 'integer' | 'boolean';

type Field<R> = keyof R & string;

export interface RecordTable<R extends Recorded> {
  readonly name: string;
  /** Unique within a tenant. */
  readonly key: Field<R>;
  /** The only user who may see and change the record; without it, it is the tenant's. */
  readonly owner?: Field<R>;
  /** A list of ids of users who see the record too, but do not change it; the empty id is everyone of the tenant. */
  readonly members?: Field<R>;
  /** A user whom the record is about, although others see and change it too; goes away with that user. */
  readonly user?: Field<R>;
  /** The time by which records are listed, newest first. */
  readonly order: Field<R>;
  /** A list of texts by each of which the record can be found. */
  readonly links?: Field<R>;
  /** Every field, in the order of the columns. A field that a record need not have is null there. */
  readonly columns: { readonly [Name in Field<R>]-?: ColumnType };
}

/** `planId` is in the column `plan_id`. */
export function columnOf(field: string): string {
  return snakeCase(field);
}

export function columnEntries<R extends Recorded>({ columns }: RecordTable<R>): [Field<R>, ColumnType][] {
  return Object.entries(columns) as [Field<R>, ColumnType][];
}
