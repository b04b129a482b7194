/** What sort of memory an entry is, and the closed sets of words that describe it. */

export const KINDS = ['semantic', 'episodic', 'procedural'] as const;
export type Kind = (typeof KINDS)[number];

export const SENSITIVITIES = ['public', 'internal', 'confidential', 'restricted'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

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
