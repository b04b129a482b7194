/** What sort of memory an entry is, and the closed sets of words that describe it. */

export const KINDS = ['semantic', 'episodic', 'procedural'] as const;
export type Kind = (typeof KINDS)[number];

/** From least to most. */
export const SENSITIVITIES = ['public', 'internal', 'confidential', 'restricted'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** Whether it is at most this sensitive; false if it has no sensitivity. */
export function isWithin(sensitivity: Sensitivity | undefined, max: Sensitivity): boolean {
  return sensitivity === undefined || SENSITIVITIES.indexOf(sensitivity) <= SENSITIVITIES.indexOf(max);
}

/** The policy, or less if a call asks for less. */
export function narrowed(policy: Sensitivity, asked: Sensitivity = policy): Sensitivity {
  return isWithin(asked, policy) ? asked : policy;
}

/** The more sensitive of the two, or the only one. */
export function stricter(one: Sensitivity, other: Sensitivity = one): Sensitivity {
  return isWithin(other, one) ? one : other;
}

/** From most to least. See `trust.ts`. */
export const TRUSTS = ['user', 'agent', 'tool', 'outside'] as const;
export type Trust = (typeof TRUSTS)[number];

export const STATUSES = ['active', 'decayed', 'archived', 'quarantined', 'deleted'] as const;

export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;
export type Role = (typeof ROLES)[number];

export const PROCEDURE_TYPES = ['system_prompt', 'few_shot_example'] as const;
export type ProcedureType = (typeof PROCEDURE_TYPES)[number];

export const SOURCE_TYPES = [
  'conversation',
  'tool_result',
  'knowledge_sync',
  'manual',
  'import',
  'user',
  'system',
  'agent',
  'tool',
  'workflow',
] as const;

export const KNOWLEDGE_TYPES = ['adr', 'policy', 'pattern', 'spec'] as const;
