/** Errors on the command line: what happened, and what to do next. */

import { asLaminaError, ERROR_TABLE, LaminaError, type ErrorCode } from '../domain/error.ts';

/** Where the table's advice is for programs. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  UNAVAILABLE: 'Check the address and that something answers there, then try again.',
  UNAUTHORIZED: 'Give a token that is valid: LAMINA_TOKEN, --token-file or --token.',
  FORBIDDEN: 'Act as somebody who may do this: with another token, or on the database itself.',
};

/** Their messages say it themselves. */
const SELF_SPEAKING: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'CONFIGURATION_ERROR']);

function adviceFor({ code, advice }: LaminaError): string {
  return advice === ERROR_TABLE[code].advice ? (ADVICE[code] ?? advice) : advice;
}

/** As a service would answer it, and with advice. */
export function errorJson(thrown: unknown): string {
  const error = asLaminaError(thrown);
  return JSON.stringify({ ...error.toJSON(), advice: adviceFor(error) });
}

/** The error as text; with the stack if it was unexpected. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof LaminaError) {
    const { code, message, cause } = thrown;
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    const told = `${code}: ${message}${reason}`;
    const advice = adviceFor(thrown);
    return SELF_SPEAKING.has(code) || message.includes(advice) ? told : `${told}\n${advice}`;
  }
  return `Unexpected error. Please report it.\n${thrown instanceof Error ? thrown.stack : String(thrown)}`;
}
