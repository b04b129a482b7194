/** Statements as values, and whom to ask them. */

import type { Parameter } from './postgres-driver.ts';

export interface Statement {
  readonly sql: string;
  readonly values: readonly Parameter[];
}

/** Asks the database, or a transaction in it. `settings` is a statement that changes how this one is answered. */
export type Ask = <R>(sql: string, values: readonly Parameter[], settings?: string) => Promise<R[]>;

/** The values of a statement that is put together from parts: each gets its number where it is used. */
export class Parameters {
  readonly values: Parameter[] = [];

  /** What stands for the value in the statement: `$3::bigint`. */
  bind(value: Parameter, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
