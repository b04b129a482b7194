/** `lamina context`: the prompt that memory makes of a message, and with `--explain` what went into it. */

import { SENSITIVITIES } from '../domain/kind.ts';
import {
  DEFAULT_TOKEN_BUDGET,
  DEFAULT_TURN_LIMIT,
  DEFAULT_TURN_THRESHOLD,
  TURN_KINDS,
  type TurnReceipt,
} from '../domain/turn.ts';
import type { OperationInput } from '../operations/table.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { countFrom, numberFrom } from './flag-values.ts';
import { placeFrom, principalFrom, whereInMemory, whichMemory } from './memory-flags.ts';
import { readMemory } from './open-memory.ts';
import { textOrInput } from './terminal/read-input.ts';
import { ownLines } from './terminal/shown-text.ts';
import { viewOf, type View } from './terminal/view.ts';
import { whileWaiting } from './terminal/waiting.ts';

export const context: Command = {
  name: 'context',
  summary: 'Show the prompt that memory makes of a message.',
  parameters: [{ name: 'MESSAGE', description: 'What the user says; - reads it from the standard input' }],
  flags: [
    { name: 'explain', description: 'Show what was taken and left out, and why' },
    {
      name: 'budget',
      value: 'TOKENS',
      description: 'For what memory adds',
      fallback: String(DEFAULT_TOKEN_BUDGET),
    },
    { name: 'limit', value: 'N', description: 'Memories at most', fallback: String(DEFAULT_TURN_LIMIT) },
    {
      name: 'threshold',
      value: 'SCORE',
      description: 'The least score, 0 to 1',
      fallback: String(DEFAULT_TURN_THRESHOLD),
    },
    {
      name: 'kind',
      value: 'KIND',
      choices: TURN_KINDS,
      repeatable: true,
      description: 'Which memories',
      fallback: 'both',
    },
    { name: 'recent-turns', value: 'N', description: 'Turns of the conversation to bring along', fallback: '0' },
    {
      name: 'max-sensitivity',
      value: 'LEVEL',
      choices: SENSITIVITIES,
      description: 'What is more sensitive stays out',
      fallback: 'as configured, which this can only narrow',
    },
    JSON_FLAG,
    ...whichMemory(),
    ...whereInMemory('Only this layer', 'every one that the ids open'),
  ],
  examples: [
    { line: 'lamina context "What shall I drink?"', does: 'The prompt, as an agent would send it to its model.' },
    { line: 'lamina context "When is the release?" --project apollo --explain', does: 'With what went into it.' },
  ],
  async run(given) {
    const principal = principalFrom(given);
    const input = inputFrom(given, await textOrInput(given, given.words[0] ?? ''));
    const turn = await whileWaiting(
      given,
      'Looking',
      readMemory(given, principal, (memory) => memory.turnContext(input)),
    );
    for (const warning of turn.warnings ?? []) given.terminal.stderr.write(`Note: ${warning}\n`);
    return answer(given, turn, () => {
      const receipt = given.has('explain') ? ['', ...receiptLines(turn.receipt, viewOf(given))] : [];
      return [ownLines(turn.prompt), ...receipt].join('\n');
    });
  },
};

function inputFrom(given: Given, message: string): OperationInput<'turnContext'> {
  const { layer, identifiers } = placeFrom(given, 'user');
  const kinds = TURN_KINDS.filter((kind) => given.values('kind').includes(kind));
  const fields = {
    tokenBudget: countFrom(given, 'budget', 1),
    limit: countFrom(given, 'limit', 1),
    threshold: numberFrom(given, 'threshold'),
    recentTurns: countFrom(given, 'recent-turns', 0),
    maxSensitivity: SENSITIVITIES.find((each) => each === given.value('max-sensitivity')),
    agentId: given.value('agent'),
    sessionId: given.value('session'),
  };
  return {
    message,
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(given.has('layer') && { layers: [layer] }),
    ...(identifiers && { identifiers }),
    ...(kinds.length > 0 && { kinds }),
  };
}

function receiptLines({ taken, leftOut, counts, tokenBudget, tokensUsed }: TurnReceipt, view: View): string[] {
  const rows = [
    ...taken.map((item) => ({ ...item, why: 'taken' })),
    ...leftOut.map((item) => ({ ...item, why: item.reason, tokens: item.tokens ?? 0 })),
  ];
  const beyond = counts.limit === 0 ? '' : `, ${counts.limit} more beyond the limit`;
  const sum = `${counts.taken} taken, ${leftOut.length} left out${beyond}; ${tokensUsed} of ${tokenBudget} tokens.`;
  if (rows.length === 0) return [sum];
  return [
    ...view.table(rows, [
      { title: 'WHY', text: ({ why }) => why, format: 'bold' },
      { title: 'SECTION', text: ({ section }) => section },
      { title: 'LAYER', text: ({ layer }) => layer ?? '–' },
      { title: 'SCORE', text: ({ score }) => score?.toFixed(3) ?? '–', align: 'right' },
      { title: 'TOKENS', text: ({ tokens }) => (tokens === 0 ? '–' : String(tokens)), align: 'right' },
      { title: 'WHAT', text: ({ id, key }) => id ?? key ?? '–', gives: true, format: 'dim' },
    ]),
    '',
    sum,
  ];
}
