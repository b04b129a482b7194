/** What a setting is: one row of the table of everything that can be configured. */

import { z } from 'zod';

/** Where a value may come from; a later source wins over an earlier one. */
const SOURCES = ['file', 'environment', 'flag'] as const;
export type SettingSource = (typeof SOURCES)[number];

export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly variable: `LAMINA_${string}`;
  /** What it accepts, and what it is when nothing is given. */
  readonly schema: Schema;
  /** What it accepts, in words that complete "it accepts …". */
  readonly accepts: string;
  readonly description: string;
  /** The placeholder of its value in the help, if it is a path: shells then complete file names. */
  readonly place?: 'FILE' | 'FOLDER' | 'ADDRESS';
  readonly sources: readonly SettingSource[];
  /** Never printed, not even when it is wrong. */
  readonly secret: boolean;
  /** A foreign variable that is used if this one is unset. */
  readonly standardVariable?: string;
  /** The value that a text stands for, where texts are not the values themselves. */
  readonly fromText: (text: string) => unknown;
}

type Row<Schema extends z.ZodType> = Pick<Setting<Schema>, 'variable' | 'schema' | 'accepts' | 'description'> &
  Partial<Setting<Schema>>;

export function setting<Schema extends z.ZodType>(row: Row<Schema>): Setting<Schema> {
  return { sources: SOURCES, secret: false, fromText: (text) => text, ...row };
}

/** The key for a service of somebody else. What an HTTP header cannot carry would only fail later, in the middle of a request. */
export function apiKeySetting(variable: Setting['variable'], description: string): Setting<z.ZodOptional<z.ZodString>> {
  return setting({
    variable,
    schema: z
      .string()
      .regex(/^[\x21-\x7e]+$/)
      .optional(),
    accepts: 'visible ASCII characters without spaces',
    description: `${description} From the environment only.`,
    sources: ['environment'],
    secret: true,
  });
}

/** A text that is no whole number stays a text, and is then refused by the schema. */
export function numberFromText(text: string): unknown {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** The same for a number with a fraction. */
export function decimalFromText(text: string): unknown {
  return /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text;
}
