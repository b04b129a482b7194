/** The principal that the headers of a request name. */

import type { IncomingHttpHeaders } from 'node:http';
import { LaminaError } from '../domain/error.ts';
import { principalSchema, type Principal } from '../domain/principal.ts';
import { validate } from '../operations/validate.ts';
import { decodeText, PRINCIPAL_FIELDS, PRINCIPAL_HEADERS, ROLES_HEADER } from '../operations/wire-headers.ts';

type Named = Partial<Record<keyof typeof PRINCIPAL_HEADERS, string>>;

/** As Node spells them. */
const NAMES = PRINCIPAL_FIELDS.map((field) => [field, PRINCIPAL_HEADERS[field].toLowerCase()] as const);

/** Throws `VALIDATION_FAILED` for a header that is empty or not text. */
export function namedIn(headers: IncomingHttpHeaders): Named {
  const named: Named = {};
  for (const [field, name] of NAMES) {
    const value = headers[name];
    if (value === '') throw emptyHeader(PRINCIPAL_HEADERS[field]);
    if (value !== undefined) named[field] = decodeText(PRINCIPAL_HEADERS[field], String(value));
  }
  return named;
}

/** Often an unset variable: treating it as absent would make the caller an administrator. */
function emptyHeader(header: string): LaminaError {
  const message = 'is empty: give it a value, or leave the header out';
  return new LaminaError('VALIDATION_FAILED', `${header} ${message}.`, {
    details: { problems: [{ path: header, message }] },
  });
}

/** The same validation as everywhere, but naming headers instead of fields. */
export function validatePrincipal(input: object): Principal {
  try {
    return validate(principalSchema, input);
  } catch (thrown) {
    if (!(thrown instanceof LaminaError)) throw thrown;
    const told = (thrown.details?.['problems'] ?? []) as readonly { readonly path: string; readonly message: string }[];
    const problems = told.map(({ path, message }) => ({ path: headerOf(path), message }));
    const sentence = problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
    throw new LaminaError(thrown.code, `The input does not fit: ${sentence}.`, { details: { problems } });
  }
}

/** Every field has a header; one role among others is in that of all. */
function headerOf(path: string): string {
  return PRINCIPAL_FIELDS.includes(path as keyof Named) ? PRINCIPAL_HEADERS[path as keyof Named] : ROLES_HEADER;
}
