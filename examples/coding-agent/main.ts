/**
 * A coding agent with layers: the company has rules, a team has its own, a project has more, and the developer has habits. The more
 * specific rule comes first; what a project forgets gives way to the next layer. There is no language model: what memory
 * would tell one is printed.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// In a program of yours: from 'lamina'.
import { Lamina, type Identifiers, type Kind, type Layer, type Memory } from '../../src/index.ts';

const AGENT = 'coder';
const TEAM = { teamId: 'payments' };
const HERE = { userId: 'ada', agentId: AGENT, projectId: 'checkout', ...TEAM, companyId: 'acme' };
const ELSEWHERE = { userId: 'bob', agentId: AGENT, projectId: 'ledger', ...TEAM, companyId: 'acme' };
const INDENTATION = 'Which indentation do we use in TypeScript?';

/** What was agreed on, each in the layer of those who agreed on it. */
const AGREED: readonly { readonly layer: Layer; readonly content: string }[] = [
  { layer: 'company', content: 'TypeScript is indented with four spaces' },
  { layer: 'team', content: 'TypeScript is indented with two spaces' },
  { layer: 'project', content: 'TypeScript is indented with tabs' },
  { layer: 'team', content: 'Amounts of money are integers in cents, never floats' },
  { layer: 'user', content: 'Ada wants commit messages in the imperative' },
];

async function agree(memory: Memory): Promise<void> {
  for (const { layer, content } of AGREED) await memory.add({ layer, content, identifiers: HERE });
  // Rules come when their trigger does. This one is the project's, for whoever works on it ...
  await memory.add({
    layer: 'project',
    identifiers: HERE,
    kind: 'procedural',
    procedureType: 'system_prompt',
    triggerCondition: 'The database schema is changed or a migration is written',
    content: 'Never edit a migration that was released: add the next number.',
  });
  // ... and this one is the agent's own, which stands before its turns by itself.
  await memory.procedural.add({
    agentId: AGENT,
    procedureType: 'system_prompt',
    triggerCondition: 'A migration of the database schema is written',
    content: 'Run the migration on a copy first, and show what it did.',
  });
}

/** The best first: the most specific layer that has something to say. */
async function look(
  memory: Memory,
  identifiers: Identifiers,
  query: string,
  kind: Kind = 'semantic',
): Promise<string | undefined> {
  const { results } = await memory.search({ query, identifiers, kinds: [kind], threshold: 0.6 });
  console.log(`\n${query}`);
  for (const { layer, memory: found } of results) console.log(`  ${layer.padEnd(8)} ${found.content}`);
  return results[0]?.memory.content;
}

function expect(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(`Not as expected: ${what}`);
}

const folder = await mkdtemp(join(tmpdir(), 'lamina-coding-'));
const lamina = await Lamina.open({ folder });
try {
  const ada = lamina.as({ userId: 'ada', agentId: AGENT });
  const bob = lamina.as({ userId: 'bob', agentId: AGENT });
  await agree(ada);

  console.log('== Ada works on checkout: the project comes before the team, and the team before the company.');
  expect((await look(ada, HERE, INDENTATION))?.includes('tabs') === true, 'precedence of the project');

  console.log('\n== Bob works on ledger, in the same team: nothing of checkout, nothing of Ada.');
  expect((await look(bob, ELSEWHERE, INDENTATION))?.includes('two spaces') === true, 'precedence of the team');
  expect((await look(bob, ELSEWHERE, 'How should commit messages be?')) === undefined, 'what is Ada’s');

  console.log(
    '\n== Rules come with the work that they are for: the project’s are found, the agent’s own stand before its turn.',
  );
  const work = 'Write a migration of the database schema that adds a column';
  expect((await look(ada, HERE, work, 'procedural'))?.includes('copy first') === true, 'rules');
  const { prompt } = await ada.turnContext({ message: work, identifiers: HERE });
  console.log(`\nThe model reads:\n${prompt.replaceAll(/^/gm, '  | ')}`);
  expect(prompt.includes('Run the migration on a copy first'), 'the rule of the agent');

  console.log('\n== Checkout gives its tabs up. What was said of them is gone, and the team’s rule is the first.');
  const { results } = await ada.search({
    query: INDENTATION,
    identifiers: HERE,
    layers: ['project'],
    kinds: ['semantic'],
  });
  const ids = results.map(({ memory }) => memory.id);
  const { deletedCount } = await ada.forget({ ids, layer: 'project', identifiers: HERE });
  console.log(`Forgotten: ${deletedCount}.`);
  expect(deletedCount === 1, 'one memory is forgotten');
  expect((await look(ada, HERE, INDENTATION))?.includes('two spaces') === true, 'the next layer');
  console.log('\nEverything was as expected.');
} finally {
  await lamina.close();
  await rm(folder, { recursive: true });
}
