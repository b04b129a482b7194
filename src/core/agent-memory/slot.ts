/**
 * The places of an agent's working memory, as keys of its namespace. Names from callers get a prefix per section, so that
 * they cannot collide with another section.
 */

import type { AgentSection } from '../../domain/agent-memory.ts';
import { LaminaError } from '../../domain/error.ts';

const PREFIXES: Readonly<Record<AgentSection, string>> = { values: 'value:', results: 'result:', tools: 'tool:' };

export interface Slot {
  /** As the caller knows it. */
  readonly key: string;
  readonly stateKey: string;
}

export const TASK_STATE: Slot = { key: 'task_state', stateKey: 'task_state' };
export const CONVERSATION: Slot = { key: 'conversation', stateKey: 'conversation' };
export const SCRATCH_PAD: Slot = { key: 'scratch_pad', stateKey: 'scratch_pad' };

export function slotOf(section: AgentSection, key: string): Slot {
  return { key, stateKey: `${PREFIXES[section]}${key}` };
}

/** The caller's key for this key of the store; undefined if it is not in that section. */
export function nameIn(section: AgentSection, stateKey: string): string | undefined {
  const prefix = PREFIXES[section];
  return stateKey.startsWith(prefix) ? stateKey.slice(prefix.length) : undefined;
}

/** Errors of the store about its key, rephrased for the caller's key. */
export async function inTermsOf<T>({ key, stateKey }: Slot, done: Promise<T>): Promise<T> {
  try {
    return await done;
  } catch (error) {
    if (!(error instanceof LaminaError) || !error.message.includes(`"${stateKey}"`)) throw error;
    const { code, message, details } = error;
    throw new LaminaError(
      code,
      message.replace(`"${stateKey}"`, () => `"${key}"`),
      {
        ...(details !== undefined && { details }),
        cause: error,
      },
    );
  }
}
