/** Which text of strangers is quarantined until somebody reviews it, and the results of a review. */

import { z } from 'zod';
import { listInputSchema } from './browse.ts';
import { entryId, entrySchema, identifiersSchema } from './entry.ts';
import { LaminaError } from './error.ts';
import { TRUSTS, type Trust } from './kind.ts';
import { isStranger } from './trust.ts';

/**
 * `off`: nothing. `suspicious`: text of strangers that reads like instructions to a model. `outside`: that, and everything
 * from outside. `tool`: everything that strangers wrote.
 */
export const QUARANTINES = ['off', 'suspicious', 'outside', 'tool'] as const;
export type Quarantine = (typeof QUARANTINES)[number];

export const DEFAULT_QUARANTINE: Quarantine = 'suspicious';

/** Throws `CONFIGURATION_ERROR`. */
export function quarantinePolicy(quarantine: Quarantine = DEFAULT_QUARANTINE): Quarantine {
  if (QUARANTINES.includes(quarantine)) return quarantine;
  throw new LaminaError('CONFIGURATION_ERROR', `quarantine is "${quarantine}"; it accepts ${QUARANTINES.join(', ')}.`);
}

/** Whether all text of this trust waits for review. */
export function isHeldWhole(quarantine: Quarantine, trust: Trust): boolean {
  return (quarantine === 'tool' && isStranger(trust)) || (quarantine === 'outside' && trust === 'outside');
}

export const quarantineListInputSchema = listInputSchema.pick({ kinds: true, limit: true, cursor: true }).extend({
  identifiers: identifiersSchema
    .optional()
    .describe(
      'Used as given: your own are not added. Default: your own userId with every agent and session of yours, and your ' +
        'tenant as companyId.',
    ),
  layer: listInputSchema.shape.layer.optional().describe('Only this layer. Default: every one that is open.'),
  userId: z.string().min(1).max(100).optional().describe('Another user, for administrators of the tenant.'),
});

export type QuarantineListInput = z.output<typeof quarantineListInputSchema>;

const reviewed = {
  id: entryId,
  expectedVersion: z.int().min(1).optional().describe('Refuse with VERSION_CONFLICT unless this is the version.'),
  userId: quarantineListInputSchema.shape.userId,
} as const;

export const quarantineReleaseInputSchema = z.strictObject({
  ...reviewed,
  trust: z
    .enum(TRUSTS)
    .optional()
    .describe('How far it is trusted from now on: the only way to raise trust. Default: as before.'),
});

export type QuarantineReleaseInput = z.output<typeof quarantineReleaseInputSchema>;

export const quarantineRejectInputSchema = z.strictObject(reviewed);

export type QuarantineRejectInput = z.output<typeof quarantineRejectInputSchema>;

export const quarantineReleaseOutputSchema = z.strictObject({ memory: entrySchema });

export const quarantineRejectOutputSchema = z.strictObject({ rejected: z.boolean() });
