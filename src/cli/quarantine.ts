/** `lamina quarantine`: looks at what strangers wrote and reads like instructions, and releases or rejects it. */

import type { Entry } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import { TRUSTS } from '../domain/kind.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import {
  IDENTIFIER_FLAGS,
  placeFrom,
  principalFrom,
  whereInMemory,
  whichMemory,
  WHO,
  withOwnUser,
} from './memory-flags.ts';
import { readMemory, withMemory } from './open-memory.ts';
import { answer } from './terminal/answer.ts';
import { LIST_FLAGS, printPages } from './terminal/print-pages.ts';
import { viewOf } from './terminal/view.ts';

const ID_PARAMETER = { name: 'ID', description: 'Of the memory, as lamina quarantine list shows it' };
const EXAMPLE_ID = '01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e99';

const list: Command = {
  name: 'list',
  summary: 'List what waits for review, newest first.',
  flags: [
    ...LIST_FLAGS,
    ...whichMemory(),
    ...whereInMemory('Only this layer', 'yours, with all agents and sessions, and the tenant’s'),
  ],
  examples: [
    { line: 'lamina quarantine list', does: 'What tools and others wrote that reads like instructions, and why.' },
    { line: 'lamina quarantine list --project apollo --json', does: 'Of a project, for machines.' },
  ],
  run(given) {
    const principal = principalFrom(given);
    const isPlaced = ['layer', ...Object.keys(IDENTIFIER_FLAGS)].some((name) => given.has(name));
    const place = isPlaced ? placeFrom(given, 'user') : undefined;
    return printPages<Entry>(given, {
      principal,
      read: async (memory, page) => {
        const { memories, nextCursor } = await memory.quarantine.list({
          ...(place && (await withOwnUser(memory, place))),
          ...page,
        });
        return { items: memories, nextCursor };
      },
      columns: (view) => [
        { title: 'ID', text: ({ id }) => id, format: 'dim' },
        { title: 'WHEN', text: ({ createdAt }) => view.ago(createdAt), format: 'cyan' },
        { title: 'FROM', text: ({ trust }) => trust },
        { title: 'WHY', text: ({ provenance }) => (provenance?.quarantined ?? []).join(',') },
        { title: 'CONTENT', text: ({ content }) => content, gives: true },
      ],
    });
  },
};

const release: Command = {
  name: 'release',
  summary: 'Take a memory into use that waits for review.',
  parameters: [ID_PARAMETER],
  flags: [
    {
      name: 'trust',
      value: 'TRUST',
      choices: TRUSTS,
      description: 'How far it is trusted from now on',
      fallback: 'as before',
    },
    JSON_FLAG,
    ...whichMemory(),
    ...WHO,
  ],
  examples: [{ line: `lamina quarantine release ${EXAMPLE_ID} --trust user`, does: 'It is found from now on.' }],
  notes:
    'Of a memory that is in use already it changes the trust alone. Nothing else raises it. Noted in the audit log.',
  async run(given) {
    const trust = TRUSTS.find((each) => each === given.value('trust'));
    const input = { id: idIn(given), ...(trust && { trust }) };
    const { memory } = await withMemory(given, principalFrom(given), (opened) => opened.quarantine.release(input));
    const said = `${viewOf(given).paint('green', 'Released')} ${memory.id}, trusted as ${memory.trust}.`;
    return answer(given, memory, () => said);
  },
};

const reject: Command = {
  name: 'reject',
  summary: 'Delete a memory that waits for review, for good.',
  parameters: [ID_PARAMETER],
  flags: [JSON_FLAG, ...whichMemory(), ...WHO],
  examples: [{ line: `lamina quarantine reject ${EXAMPLE_ID}`, does: 'Nothing of it is left.' }],
  async run(given) {
    const id = idIn(given);
    const { rejected } = await readMemory(given, principalFrom(given), (memory) => memory.quarantine.reject({ id }));
    if (!rejected) {
      throw new LaminaError('MEMORY_NOT_FOUND', `There is no memory with the id ${id} in quarantine.`, {
        advice: 'See the ids: lamina quarantine list',
      });
    }
    return answer(given, { id, rejected }, () => `${viewOf(given).paint('green', 'Rejected')} ${id}.`);
  },
};

function idIn(given: Given): string {
  return given.words[0] ?? '';
}

export const quarantine: Command = {
  name: 'quarantine',
  summary: 'Review what tools and others wrote that reads like instructions.',
  flags: [],
  examples: [{ line: 'lamina quarantine list', does: 'What waits, and why.' }],
  commands: [list, release, reject],
};
