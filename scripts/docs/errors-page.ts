/** The errors, from their table. */

import { ERROR_TABLE } from '../../src/domain/error.ts';
import { code, page, table } from './markdown.ts';

export function errorsPage(): string {
  const rows = Object.entries(ERROR_TABLE).map(([name, { status, retryable, advice }]) => [
    code(name),
    String(status),
    retryable ? 'yes' : 'no',
    advice,
  ]);
  return page(
    'Errors',
    'Everything that Lamina refuses or fails at is a `LaminaError` with one of these codes. In the library it is thrown; ' +
      'over HTTP it is the body of the answer, `{code, message, operation, details?, retryable, request_id}`, with the ' +
      'status below. Codes are stable; messages are for people and may change.',
    '`VALIDATION_FAILED` always has `details.problems`, a list of `{path, message}`: what does not fit, and where in the ' +
      'input. An empty path stands for the whole input.',
    'Retrying helps where the table says so: the same call, unchanged, can succeed later.',
    table(['code', 'HTTP status', 'retry helps', 'what to do'], rows),
  );
}
