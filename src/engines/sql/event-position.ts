/** What is said of positions in the event log that cannot be gone on from. */

import { invalidField, type LaminaError } from '../../domain/error.ts';

export function noPosition(): LaminaError {
  return invalidField('after', 'is no position of this event log');
}

export function positionTooOld(): LaminaError {
  return invalidField(
    'after',
    'is older than what is kept of this event log; read everything again, then follow from now',
  );
}
