/** The one table of exit codes, and which error ends with which. */

import type { ErrorCode, LaminaError } from '../domain/error.ts';

export const EXIT_CODES = {
  ok: { code: 0, meaning: 'It worked, or the service was asked to stop and did.' },
  failed: { code: 1, meaning: 'It failed; the message says why.' },
  usage: { code: 2, meaning: 'The command line is wrong.' },
  // EX_CONFIG of sysexits.h. A supervisor can be told not to restart on it: nothing changes until someone edits.
  configuration: { code: 78, meaning: 'The configuration is wrong; starting again will not help.' },
  // 128 and the number of the signal, as shells count.
  interrupted: { code: 130, meaning: 'Stopped by Ctrl-C. What was done until then is kept.' },
  terminated: { code: 143, meaning: 'Stopped by SIGTERM. What was done until then is kept.' },
} as const;

/** Errors that another command line would fix. */
const USAGE: ReadonlySet<ErrorCode> = new Set(['VALIDATION_FAILED', 'MISSING_IDENTIFIER', 'INVALID_LAYER']);

/** The exit code for an error. */
export function exitCodeOf(error: LaminaError): number {
  if (error.code === 'CONFIGURATION_ERROR') return EXIT_CODES.configuration.code;
  // A damaged bundle or backup is not a mistake of the command line.
  if (USAGE.has(error.code) && error.details?.['damaged'] !== true) return EXIT_CODES.usage.code;
  return EXIT_CODES.failed.code;
}
