/**
 * "Why did my billing fail?": one question answered with all four kinds of memory, and asked again a week later. Runs embedded, with local
 * embeddings, in a folder that is gone afterwards. There is no language model here: where an agent would ask one, this
 * one puts its sentences together by hand, so that what memory gave can be seen.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// In a program of yours: from 'lamina'.
import { Lamina, WorkflowState, type Memory } from '../../src/index.ts';

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
    'Error 402 means: insufficient funds',
    'Error 429 means too many requests.',
    'The office in Lisbon is closed on 10 June.',
  ]) {
    await memory.semantic.store({ content, metadata: { source: 'handbook' } });
  }
  // A newer edition of the handbook says it a little differently: it is revised, and not known twice.
  const revised = await memory.semantic.upsert({
    content: 'Error 402 means insufficient funds.',
    dedupeThreshold: 0.9,
  });
  say(`The handbook was read again: ${revised.status}.`);
  // What only Alice may know of: by her user's id.
  await memory.semantic.store({ content: 'Alice pays by the card that ends in 42', userId: 'alice', public: false });

  await memory.sessions.create({ sessionId: SESSION, agentId: AGENT });
  await memory.plans.create({
    planId: PLAN,
    sessionId: SESSION,
    goalEvent: 'billing.question',
    goalData: { question: QUESTION },
  });
  const state = new WorkflowState(memory, PLAN);
  await state.set('account_id', 'acc_123');
  await state.set('stripe_token', 'tok_only_for_this_plan');
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

/** The plan ends: its secret goes first, the rest with it. What was said stays. */
async function finish(memory: Memory): Promise<void> {
  say('5. The plan is done.');
  const state = new WorkflowState(memory, PLAN);
  await state.recordAction('billing.answered');
  say(`   The token is deleted: ${await state.delete('stripe_token')}.`);
  const running = await memory.plans.list({ status: 'active' });
  say(
    `   Running: ${running.plans.map(({ planId }) => planId).join(', ')}. Done: ${(await state.getActionHistory()).join(', ')}.`,
  );
  const plan = await memory.plans.get({ planId: PLAN });
  await memory.plans.update({ planId: PLAN, status: 'completed', ifVersion: plan?.version ?? 0, cascade: true });
  say(`   Left of its working memory: ${(await memory.working.list({ planId: PLAN })).count}.`);
}

/** A week later Alice comes back, and Bob comes for the first time. */
async function comeBack(memory: Memory, bob: Memory): Promise<void> {
  const query = 'What did we say about the failed billing?';
  const { results } = await memory.episodic.search({ query, agentId: AGENT, limit: 1 });
  const [best] = results;
  if (best === undefined) throw new Error('The conversation was not found again.');
  say(`Later, Alice: ${query}\n   ${best.score.toFixed(2)}  ${best.content}`);
  const strangers = await bob.episodic.search({ query, agentId: AGENT });
  const cards = await bob.semantic.search({ query: 'By which card does Alice pay?' });
  const shared = await bob.semantic.search({ query: 'Error 402' });
  say(`Bob finds ${strangers.count} turns, ${cards.count} cards and ${shared.count} lines of the handbook.`);
  if (strangers.count + cards.count > 0 || shared.count === 0) throw new Error('Bob sees the wrong things.');
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
  await finish(memory);
  await comeBack(memory, lamina.as({ userId: 'bob' }));
} finally {
  await lamina.close();
  await rm(folder, { recursive: true });
}
