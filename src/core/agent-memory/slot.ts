/**
 * The places of an agent's working memory, as keys of its namespace. What callers name has a prefix of its own, so that no
 * name can be taken for a place of another sort.
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

/** What the caller calls the value under this key of the store; undefined where it is of no such section. */
export function nameIn(section: AgentSection, stateKey: string): string | undefined {
  const prefix = PREFIXES[section];
  return stateKey.startsWith(prefix) ? stateKey.slice(prefix.length) : undefined;
}

/** What the store says of its key is said of the caller's. */
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
