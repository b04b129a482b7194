/** Something of everything that is sealed, and the words by which it would be recognised. */

import type { Memory } from '../src/operations/memory.ts';

/** No word of English, so that nothing else can have it. */
export const CANARIES = [
  'zorblax',
  'quendril',
  'mivvokant',
  'trazzeloth',
  'plinquor',
  'vexomir',
  'ghurnabel',
  'skelthwin',
  'yarrowmok',
  'ombrithel',
  'fentavoss',
  'drakkowin',
  'hullberant',
  'nimbrosky',
  'wexatune',
  'pavvolind',
] as const;

const [
  content,
  field,
  value,
  tag,
  reference,
  speaker,
  trigger,
  former,
  state,
  subject,
  object,
  note,
  goal,
  session,
  context,
  pool,
] = CANARIES;

/** Writes each of the canaries somewhere. */
export async function writeCanaries(memory: Memory): Promise<{ readonly id: string }> {
  const { memory: entry } = await memory.add({
    layer: 'user',
    content: `The ${former} is in the harbour`,
    metadata: { [field]: value, plain: 1 },
    tags: [tag],
    source: { type: 'user', reference },
  });
  await memory.update({ id: entry.id, content: `The ${content} is in the harbour` });
  const gone = await memory.add({ layer: 'user', content: `A passing ${note} that goes again` });
  await memory.delete({ id: gone.memory.id });
  await memory.add({ layer: 'user', content: 'I saw it myself', kind: 'episodic', role: 'user', speaker });
  await memory.add({
    layer: 'user',
    content: 'Ring the bell',
    kind: 'procedural',
    triggerCondition: `when the ${trigger} comes`,
  });
  await memory.facts.add({ factType: 'likes', subject, predicate: 'prefers', object, metadata: { note } });
  await memory.plans.create({ planId: 'p1', goalEvent: 'start', goalData: { goal }, state: { step: goal } });
  await memory.working.set({ planId: 'p1', key: 'k', value: { [state]: state } });
  await memory.sessions.create({ sessionId: 's1', name: session, metadata: { about: session } });
  await memory.contexts.create({ contextId: 'c1', type: 'knowledge_base', name: context, description: context });
  await memory.pools.create({ poolId: 'o1', type: 'shared', name: pool, metadata: { about: pool } });
  return { id: entry.id };
}
