/** `lamina keys`: makes, lists and revokes API keys. */

import type { ApiKey } from '../domain/api-key.ts';
import { LaminaError } from '../domain/error.ts';
import { PRINCIPAL_ROLES } from '../domain/principal.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { countFrom } from './flag-values.ts';
import { adminFrom, TENANT_FLAG, whichMemory } from './memory-flags.ts';
import { memoryName, readMemory, withMemory } from './open-memory.ts';
import { LIST_FLAGS, printPages } from './terminal/print-pages.ts';
import { viewOf } from './terminal/view.ts';

const WHERE = [...whichMemory(), TENANT_FLAG];

const create: Command = {
  name: 'create',
  summary: 'Make an API key.',
  parameters: [{ name: 'NAME', description: 'For people, so that they know it again' }],
  flags: [
    { name: 'user', value: 'NAME', required: true, description: 'For whom the key speaks' },
    { name: 'agent', value: 'ID', description: 'Keeps the key to the memory of this agent' },
    {
      name: 'role',
      value: 'ROLE',
      choices: PRINCIPAL_ROLES,
      repeatable: true,
      description: 'What it may do; delegate: act for any user of the tenant',
      fallback: 'member',
    },
    { name: 'expires-in-days', value: 'N', description: 'When it ends', fallback: 'never' },
    JSON_FLAG,
    ...WHERE,
  ],
  examples: [
    {
      line: 'lamina keys create "nightly import" --user importer --expires-in-days 90',
      does: 'A key for three months.',
    },
    { line: 'lamina keys create operator --user root --role admin', does: 'The first key of an administrator.' },
    {
      line: 'lamina keys create backend --user backend --role delegate',
      does: 'For a program that serves many users.',
    },
  ],
  notes: 'The key is shown once; only its hash is kept.',
  async run(given) {
    const input = inputFrom(given);
    const key = await withMemory(given, adminFrom(given), (memory) => memory.keys.create(input));
    const name = await memoryName(given);
    return answer(
      given,
      key,
      () => `${key.key}\n\nKey ${key.keyId} of ${key.userId} for ${name}. It is not shown again.`,
    );
  },
};

function inputFrom(given: Given) {
  const agentId = given.value('agent');
  const roles = PRINCIPAL_ROLES.filter((role) => given.values('role').includes(role));
  const expiresInDays = countFrom(given, 'expires-in-days', 1);
  return {
    name: given.words[0] ?? '',
    userId: given.value('user') ?? '',
    ...(agentId !== undefined && { agentId }),
    ...(roles.length > 0 && { roles }),
    ...(expiresInDays !== undefined && { expiresInDays }),
  };
}

const list: Command = {
  name: 'list',
  summary: 'List the API keys of the tenant, newest first.',
  flags: [...LIST_FLAGS, ...WHERE],
  examples: [{ line: 'lamina keys list', does: 'With those that have ended.' }],
  run: (given) =>
    printPages<ApiKey>(given, {
      principal: adminFrom(given),
      read: async (memory, page) => {
        const { keys, nextCursor } = await memory.keys.list(page);
        return { items: keys, nextCursor };
      },
      columns: (view) => [
        { title: 'ID', text: ({ keyId }) => keyId, format: 'dim' },
        { title: 'STATUS', text: statusOf },
        { title: 'USER', text: ({ userId }) => userId },
        { title: 'ROLES', text: ({ roles }) => roles.join(','), optional: true },
        { title: 'MADE', text: ({ createdAt }) => view.ago(createdAt), format: 'cyan' },
        { title: 'USED', text: ({ lastUsedAt }) => view.ago(lastUsedAt), format: 'cyan', optional: true },
        { title: 'ENDS', text: ({ expiresAt }) => view.ago(expiresAt), optional: true },
        { title: 'NAME', text: ({ name }) => name, gives: true },
      ],
    }),
};

function statusOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid';
}

const revoke: Command = {
  name: 'revoke',
  summary: 'Revoke an API key, at once.',
  parameters: [{ name: 'KEY', description: 'The id of the key, as lamina keys list shows it' }],
  flags: [JSON_FLAG, ...WHERE],
  examples: [{ line: 'lamina keys revoke 01990b2e-6f3a-7cc1-9d54-3b7a1f0c2e77', does: 'It opens nothing any more.' }],
  async run(given) {
    const [keyId = ''] = given.words;
    const { revoked } = await readMemory(given, adminFrom(given), (memory) => memory.keys.revoke({ keyId }));
    if (!revoked) {
      throw new LaminaError('NOT_FOUND', `There is no key "${keyId}".`, { advice: 'See the ids: lamina keys list' });
    }
    return answer(given, { keyId, revoked }, () => `${viewOf(given).paint('green', 'Revoked')} ${keyId}.`);
  },
};

export const keys: Command = {
  name: 'keys',
  summary: 'Make, list and revoke API keys.',
  flags: [],
  examples: [
    { line: 'lamina keys create operator --user root --role admin', does: 'The first key of an administrator.' },
  ],
  commands: [create, list, revoke],
};
