/**
 * "Why did my billing fail?": one question answered with all four kinds of memory. Runs embedded, with local
 * embeddings, in a folder that is gone afterwards. There is no language model here: where an agent would ask one, this
 * one puts its sentences together by hand, so that what memory gave can be seen.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lamina, type Memory } from '../../src/index.ts';

const QUESTION = 'Why did my billing fail?';
const AGENT = 'billing-support';
const PLAN = 'plan-billing-4711';
const SESSION = 'chat-17';

/** What was known before the question came: taught by the team, read from a handbook, set by another agent. */
async function prepare(memory: Memory): Promise<void> {
  await memory.procedural.add({
    agentId: AGENT,
    procedureType: 'system_prompt',
    triggerCondition: 'User asks about billing or a failed payment',
    content: 'When discussing billing, check Stripe status first.',
  });
  await memory.procedural.add({
    agentId: AGENT,
    procedureType: 'system_prompt',
    triggerCondition: 'User wants to change the language of the interface',
    content: 'Point to Settings, then Language.',
  });
  for (const content of [
    'Error 402 means insufficient funds.',
    'Error 429 means too many requests.',
    'The office in Lisbon is closed on 10 June.',
  ]) {
    await memory.semantic.store({ content, metadata: { source: 'handbook' } });
  }
  await memory.working.set({ planId: PLAN, key: 'account_id', value: 'acc_123' });
}

async function answer(memory: Memory): Promise<string> {
  say(`User: ${QUESTION}`);

  const skills = await memory.procedural.context({ query: QUESTION, agentId: AGENT });
  say('1. Recall skills (procedural): what goes into the system prompt?');
  for (const { content, score } of skills.procedures) say(`   ${score.toFixed(2)}  ${content}`);

  // The skill says to look at Stripe. This is what an agent's tool would bring back from there.
  const stripeStatus = 'Billing failed with error 402';
  say(`   Stripe says: ${stripeStatus}.`);

  const facts = await memory.semantic.search({ query: stripeStatus });
  say('2. Recall facts (semantic): what is known about it?');
  for (const { content, score } of facts.results) say(`   ${score.toFixed(2)}  ${content}`);

  const account = await memory.working.get({ planId: PLAN, key: 'account_id' });
  say('3. Check state (working): which account is it about?');
  say(`   account_id = ${JSON.stringify(account?.value)}`);

  const [skill] = skills.systemPrompts;
  const [fact] = facts.results;
  if (skill === undefined || fact === undefined || typeof account?.value !== 'string') {
    throw new Error('Memory did not help.');
  }
  return `I looked at your account ${account.value}. ${stripeStatus}. ${fact.content}`;
}

/** What was said is remembered, so that next time it can be recalled. */
async function log(memory: Memory, reply: string): Promise<void> {
  say('4. Reply and log (episodic).');
  await memory.episodic.log({ agentId: AGENT, sessionId: SESSION, turn: 1, role: 'user', content: QUESTION });
  await memory.episodic.log({ agentId: AGENT, sessionId: SESSION, turn: 2, role: 'assistant', content: reply });
  const { episodes } = await memory.episodic.recent({ agentId: AGENT, sessionId: SESSION });
  for (const { turn, role, content } of episodes.toReversed()) say(`   ${turn}. ${role}: ${content}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const folder = await mkdtemp(join(tmpdir(), 'lamina-billing-'));
const lamina = await Lamina.open({ folder });
try {
  const memory = lamina.as({ userId: 'alice' });
  await prepare(memory);
  const reply = await answer(memory);
  await log(memory, reply);
  say(`Agent: ${reply}`);
} finally {
  await lamina.close();
  await rm(folder, { recursive: true });
}
