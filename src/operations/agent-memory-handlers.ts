/** What the operations on the working memory of agents do, in terms of the core. */

import { CONVERSATION, SCRATCH_PAD, slotOf, TASK_STATE } from '../core/agent-memory/slot.ts';
import type { AgentTask } from '../domain/agent-memory.ts';
import type { agentMemoryOperations } from './agent-memory-operations.ts';
import type { Handlers } from './handler.ts';

function taskOf({ agentId, taskId }: AgentTask): AgentTask {
  return { agentId, ...(taskId !== undefined && { taskId }) };
}

export const agentMemoryHandlers: Handlers<typeof agentMemoryOperations> = {
  'agentMemory.store': (core, principal, input) =>
    core.agentMemory.store(principal, taskOf(input), slotOf('values', input.key), input.value, input),
  'agentMemory.retrieve': (core, principal, input) =>
    core.agentMemory.retrieve(principal, taskOf(input), slotOf('values', input.key)),
  'agentMemory.exists': async (core, principal, input) => ({ exists: await core.agentMemory.exists(principal, input) }),
  'agentMemory.remove': async (core, principal, input) => ({
    success: await core.agentMemory.remove(principal, input),
  }),
  'agentMemory.keys': (core, principal, input) => core.agentMemory.keys(principal, input),
  'agentMemory.clear': (core, principal, input) => core.agentMemory.clear(principal, input),
  'agentMemory.storeTaskState': (core, principal, input) =>
    core.agentMemory.store(principal, taskOf(input), TASK_STATE, input.state, input),
  'agentMemory.taskState': (core, principal, input) => core.agentMemory.retrieve(principal, input, TASK_STATE),
  'agentMemory.storeResult': (core, principal, input) =>
    core.agentMemory.store(principal, taskOf(input), slotOf('results', input.step), input.result, input),
  'agentMemory.result': (core, principal, input) =>
    core.agentMemory.retrieve(principal, taskOf(input), slotOf('results', input.step)),
  'agentMemory.storeConversation': (core, principal, input) =>
    core.agentMemory.store(principal, taskOf(input), CONVERSATION, input.messages, input),
  'agentMemory.appendToConversation': (core, principal, input) =>
    core.agentMemory.append(principal, taskOf(input), CONVERSATION, input.messages, input.ttlSeconds),
  'agentMemory.conversation': (core, principal, input) => core.agentMemory.retrieve(principal, input, CONVERSATION),
  'agentMemory.storeToolState': (core, principal, input) =>
    core.agentMemory.store(principal, taskOf(input), slotOf('tools', input.tool), input.state, input),
  'agentMemory.toolState': (core, principal, input) =>
    core.agentMemory.retrieve(principal, taskOf(input), slotOf('tools', input.tool)),
  'agentMemory.storeScratchPad': (core, principal, input) =>
    core.agentMemory.store(principal, taskOf(input), SCRATCH_PAD, [input.content], input),
  'agentMemory.appendToScratchPad': (core, principal, input) =>
    core.agentMemory.append(principal, taskOf(input), SCRATCH_PAD, [input.content], input.ttlSeconds),
  'agentMemory.scratchPad': (core, principal, input) => core.agentMemory.retrieve(principal, input, SCRATCH_PAD),
  'agentMemory.share': (core, principal, input) => core.agentMemory.share(principal, input),
  'agentMemory.withdraw': async (core, principal, input) => ({
    success: await core.agentMemory.withdraw(principal, input),
  }),
  'agentMemory.retrieveShared': (core, principal, input) => core.agentMemory.retrieveShared(principal, input),
  'agentMemory.persist': (core, principal, input) => core.agentMemory.persist(principal, input),
  'agentMemory.load': (core, principal, input) => core.agentMemory.load(principal, input),
};
