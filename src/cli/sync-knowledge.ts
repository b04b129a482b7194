/** `lamina sync-knowledge`: brings memory in line with a folder of Markdown. */

import { basename, resolve } from 'node:path';
import { LaminaError } from '../domain/error.ts';
import { KNOWLEDGE_TYPES } from '../domain/kind.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { answer } from './terminal/answer.ts';
import { JSON_FLAG, type Command, type Given } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { readKnowledgeFolder, type KnowledgeFolder, type KnowledgeType } from './knowledge-folder.ts';
import { oneLayer, placeFrom, principalFrom, whichMemory, withOwnUser, type Place } from './memory-flags.ts';
import { withMemory } from './open-memory.ts';
import { whileWaiting } from './terminal/waiting.ts';

type SyncInput = OperationInput<'knowledge.sync'>;
type SyncOutput = OperationOutput<'knowledge.sync'>;

/** How an error names an item, or a field of one. */
const ITEM = /\bitems\.(\d+)(?:\.(\w+(?:\.\w+)*))?/;

export const syncKnowledge: Command = {
  name: 'sync-knowledge',
  summary: 'Bring memory in line with a folder of Markdown.',
  parameters: [{ name: 'FOLDER', description: 'The folder of Markdown' }],
  flags: [
    { name: 'set', value: 'NAME', description: 'The name of the set', fallback: 'the name of the folder' },
    {
      name: 'type',
      value: 'TYPE',
      choices: KNOWLEDGE_TYPES,
      description: 'Of files that do not tell',
      fallback: 'spec',
    },
    { name: 'archive-orphans', description: 'Archive entries whose files are gone, and do not only mark them' },
    { name: 'dry-run', description: 'Only say what would be done' },
    JSON_FLAG,
    ...whichMemory(),
    ...oneLayer('company'),
  ],
  examples: [
    { line: 'lamina sync-knowledge docs --dry-run --project apollo', does: 'What it would do for a project.' },
    { line: 'lamina sync-knowledge docs --set handbook', does: 'Brings the handbook of the company up to date.' },
  ],
  notes: [
    'Each file becomes an entry. Its front matter may say type, id, title and tags; else the path tells the type (a folder',
    'named adr, policies, patterns, specs …) and the id, and the first heading the title. A second run changes nothing.',
    'Files that are longer than an entry may be become several. Hidden folders and node_modules are left out.',
  ].join('\n'),
  async run(given) {
    const principal = principalFrom(given);
    const { folder, ...input } = inputFrom(given);
    const { items, empty } = await readKnowledgeFolder(folder, typeFrom(given));
    for (const path of empty) given.terminal.stderr.write(`Nothing in ${path}: left out.\n`);
    try {
      const synced = withMemory(given, principal, async (memory) =>
        memory.knowledge.sync({ ...(await withOwnUser(memory, input)), items }),
      );
      const output = await whileWaiting(given, 'Syncing', synced);
      return answer(given, output, () => reportOf(output));
    } catch (error) {
      const complaint = complaintOf(error, items);
      if (complaint === undefined) throw error;
      // A file is at fault and not the command line.
      given.terminal.stderr.write(`${complaint}\nNothing was written.\n`);
      return EXIT_CODES.failed.code;
    }
  },
};

function inputFrom(given: Given): Omit<SyncInput, 'items'> & Place & { readonly folder: string } {
  const [folder = ''] = given.words;
  return {
    folder,
    set: given.value('set') ?? basename(resolve(folder)).slice(0, 100),
    ...placeFrom(given, 'company'),
    orphans: given.has('archive-orphans') ? 'archive' : 'mark',
    dryRun: given.has('dry-run'),
  };
}

function typeFrom(given: Given): KnowledgeType {
  return KNOWLEDGE_TYPES.find((each) => each === given.value('type')) ?? 'spec';
}

/** What is wrong with which file; undefined where it is not about a file. */
function complaintOf(error: unknown, items: KnowledgeFolder['items']): string | undefined {
  if (!(error instanceof LaminaError) || !ITEM.test(error.message)) return undefined;
  return error.message.replaceAll(new RegExp(ITEM, 'g'), (text, index: string, field?: string) => {
    const path = items[Number(index)]?.metadata?.['path'];
    return typeof path !== 'string' ? text : field === undefined ? path : `${path} (${field})`;
  });
}

function reportOf({ set, dryRun, counts, items, orphans }: SyncOutput): string {
  const changed = [...items, ...orphans].filter(({ status }) => status !== 'unchanged');
  const { created, updated, unchanged, orphaned } = counts;
  return [
    ...changed.map(({ status, sourceType, sourceId }) => `  ${status.padEnd(10)}${sourceType.padEnd(9)}${sourceId}`),
    `${dryRun ? 'Would sync' : 'Synced'} "${set}": ${created} created, ${updated} updated, ${unchanged} unchanged, ${orphaned} orphaned.`,
  ].join('\n');
}
