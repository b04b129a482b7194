/** `lamina sync-knowledge`: brings memory in line with a folder of Markdown. */

import { basename, resolve } from 'node:path';
import { LaminaError } from '../domain/error.ts';
import { KNOWLEDGE_TYPES } from '../domain/kind.ts';
import type { PrincipalInput } from '../domain/principal.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { readFlagValues, usageError, type Command } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { readKnowledgeFolder, type KnowledgeFolder, type KnowledgeType } from './knowledge-folder.ts';
import { MEMORY_FLAGS, openMemory, placeFrom, principalFrom, whereInMemory, whichMemory } from './memory-flags.ts';

type SyncInput = OperationInput<'knowledge.sync'>;
type SyncOutput = OperationOutput<'knowledge.sync'>;

const SWITCHES = ['--dry-run', '--archive-orphans'] as const;

const FLAGS = ['set', 'type', ...MEMORY_FLAGS];

/** How an error names an item, or a field of one. */
const ITEM = /\bitems\.(\d+)(?:\.(\w+(?:\.\w+)*))?/;

export const syncKnowledge: Command = {
  name: 'sync-knowledge',
  summary: 'Bring memory in line with a folder of Markdown.',
  help: () =>
    [
      syncKnowledge.summary,
      '',
      'Usage: lamina sync-knowledge FOLDER [--url URL | --database ADDRESS] [flags]',
      '',
      ...whichMemory(),
      '  --set              The name of the set. Default: the name of the folder',
      ...whereInMemory('company'),
      `  --type             Of files that do not tell: ${KNOWLEDGE_TYPES.join(', ')}. Default: spec`,
      '  --archive-orphans  Archive entries whose files are gone, and do not only mark them',
      '  --dry-run          Only say what would be done',
      '',
      'Each file becomes an entry. Its front matter may say type, id, title and tags; else the path tells the type (a folder',
      'named adr, policies, patterns, specs …) and the id, and the first heading the title. A second run changes nothing.',
      'Files that are longer than an entry may be become several. Hidden folders and node_modules are left out.',
      '',
    ].join('\n'),
  async run(args) {
    const { folder, input, values, principal } = flagsFrom(args);
    const { items, empty } = await readKnowledgeFolder(folder, typeFrom(values.get('type')));
    for (const path of empty) process.stderr.write(`Nothing in ${path}: left out.\n`);
    const opened = await openMemory(values, principal);
    try {
      const output = await opened.memory.knowledge.sync({ ...input, items });
      process.stdout.write(reportOf(output));
    } catch (error) {
      const complaint = complaintOf(error, items);
      if (complaint === undefined) throw error;
      // A file is at fault and not the command line.
      process.stderr.write(`${complaint}\nNothing was written.\n`);
      return EXIT_CODES.failed.code;
    } finally {
      await opened.close();
    }
    return EXIT_CODES.ok.code;
  },
};

interface SyncFlags {
  readonly folder: string;
  readonly input: Omit<SyncInput, 'items'>;
  readonly values: ReadonlyMap<string, string>;
  readonly principal: PrincipalInput;
}

function flagsFrom(args: readonly string[]): SyncFlags {
  const [folder, ...rest] = args;
  if (folder === undefined || folder.startsWith('-')) throw usageError('The folder comes first.', syncKnowledge.name);
  const isOn = (name: (typeof SWITCHES)[number]): boolean => rest.includes(name);
  const valued = rest.filter((arg) => !(SWITCHES as readonly string[]).includes(arg));
  const values = readFlagValues(syncKnowledge.name, valued, FLAGS);
  const principal = principalFrom(syncKnowledge.name, values);
  const input = {
    set: values.get('set') ?? basename(resolve(folder)).slice(0, 100),
    ...placeFrom(syncKnowledge.name, values, principal, 'company'),
    orphans: isOn('--archive-orphans') ? 'archive' : 'mark',
    dryRun: isOn('--dry-run'),
  } as const;
  return { folder, input, values, principal };
}

function typeFrom(text: string | undefined): KnowledgeType {
  if (text === undefined) return 'spec';
  const type = KNOWLEDGE_TYPES.find((each) => each === text);
  if (type === undefined) throw usageError(`--type accepts ${KNOWLEDGE_TYPES.join(', ')}.`, syncKnowledge.name);
  return type;
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
    '',
  ].join('\n');
}
