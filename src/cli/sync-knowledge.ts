/** `lamina sync-knowledge`: brings memory in line with a folder of Markdown. */

import { basename, resolve } from 'node:path';
import { loadConfiguration } from '../compose/configuration.ts';
import { TOKEN_VARIABLE } from '../compose/configuration-sources.ts';
import { DATABASE_ADDRESSES } from '../compose/database-address.ts';
import type { OpenMemory } from '../compose/remote-memory.ts';
import { LaminaError } from '../domain/error.ts';
import { KNOWLEDGE_TYPES } from '../domain/kind.ts';
import { LOCAL_USER, principalSchema, type PrincipalInput } from '../domain/principal.ts';
import { LAYERS, REQUIRED_IDENTIFIERS, type IdentifierName, type Layer } from '../domain/scope.ts';
import type { OperationInput, OperationOutput } from '../operations/table.ts';
import { readFlagValues, usageError, type Command } from './command.ts';
import { EXIT_CODES } from './exit-code.ts';
import { readKnowledgeFolder, type KnowledgeFolder, type KnowledgeType } from './knowledge-folder.ts';

type SyncInput = OperationInput<'knowledge.sync'>;
type SyncOutput = OperationOutput<'knowledge.sync'>;

const SWITCHES = ['--dry-run', '--archive-orphans'] as const;

const IDENTIFIER_FLAGS: Readonly<Record<string, IdentifierName>> = {
  agent: 'agentId',
  session: 'sessionId',
  project: 'projectId',
  team: 'teamId',
  org: 'orgId',
  company: 'companyId',
};

const FLAGS = ['url', 'database', 'set', 'layer', 'type', 'user', 'tenant', ...Object.keys(IDENTIFIER_FLAGS)];

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
      `  --url              The service to send it to. ${TOKEN_VARIABLE} is its token or key, where it asks for one`,
      `  --database         Instead, the database: ${DATABASE_ADDRESSES}.`,
      '                     Default: as configured (LAMINA_DATABASE_URL)',
      '  --set              The name of the set. Default: the name of the folder',
      `  --layer            Where it lies: ${LAYERS.join(', ')}. Default: the layer of`,
      '                     the id that is given, else company',
      '  --project, --team, --org, --company, --session, --agent    Whose: the ids that the layer needs',
      '  --user, --tenant   On whose behalf. Default: the local user of the nil tenant',
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
    const opened = await open(values, principal);
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
  if (values.has('url') && values.has('database')) {
    throw usageError('--url and --database exclude each other.', syncKnowledge.name);
  }
  const principal = principalFrom(values);
  const input = {
    set: values.get('set') ?? basename(resolve(folder)).slice(0, 100),
    ...placeFrom(values, principal),
    orphans: isOn('--archive-orphans') ? 'archive' : 'mark',
    dryRun: isOn('--dry-run'),
  } as const;
  return { folder, input, values, principal };
}

function principalFrom(values: ReadonlyMap<string, string>): PrincipalInput {
  const tenant = values.get('tenant');
  const given = { userId: values.get('user') ?? LOCAL_USER, ...(tenant !== undefined && { tenantId: tenant }) };
  const { success } = principalSchema.safeParse(given);
  if (!success) throw usageError('--tenant accepts a UUID, --user a name of up to 100 characters.', syncKnowledge.name);
  return given;
}

/** The layer that is named, or that of the most specific id. Identifiers only where the defaults do not do. */
function placeFrom(
  values: ReadonlyMap<string, string>,
  { userId }: PrincipalInput,
): Pick<SyncInput, 'layer' | 'identifiers'> {
  const given = Object.entries(IDENTIFIER_FLAGS).flatMap(([flag, name]) => {
    const value = values.get(flag);
    return value === undefined ? [] : [[name, value] as const];
  });
  const layer = layerFrom(values, new Set(given.map(([name]) => name)));
  if (given.length === 0) return { layer };
  const isPersonal = REQUIRED_IDENTIFIERS[layer].includes('userId');
  return { layer, identifiers: { ...Object.fromEntries(given), ...(isPersonal && { userId }) } };
}

function layerFrom(values: ReadonlyMap<string, string>, named: ReadonlySet<IdentifierName>): Layer {
  const text = values.get('layer');
  const layer = LAYERS.find((each) => each === text);
  if (text !== undefined && layer === undefined) {
    throw usageError(`--layer accepts ${LAYERS.join(', ')}.`, syncKnowledge.name);
  }
  const own = LAYERS.find((each) => each !== 'user' && REQUIRED_IDENTIFIERS[each].some((name) => named.has(name)));
  return layer ?? own ?? 'company';
}

function typeFrom(text: string | undefined): KnowledgeType {
  if (text === undefined) return 'spec';
  const type = KNOWLEDGE_TYPES.find((each) => each === text);
  if (type === undefined) throw usageError(`--type accepts ${KNOWLEDGE_TYPES.join(', ')}.`, syncKnowledge.name);
  return type;
}

/** What it needs is loaded only now, so that help and refusals come at once. */
async function open(values: ReadonlyMap<string, string>, principal: PrincipalInput): Promise<OpenMemory> {
  const url = values.get('url');
  if (url !== undefined) {
    const { remoteMemory } = await import('../compose/remote-memory.ts');
    // From the environment: other users of a machine can read command lines.
    return remoteMemory(url, process.env[TOKEN_VARIABLE]?.trim() || undefined, principal);
  }
  const database = values.get('database');
  const configuration = await loadConfiguration(process.env, database === undefined ? {} : { databaseUrl: database });
  const { databaseMemory } = await import('../compose/database-memory.ts');
  return databaseMemory(configuration, principal);
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
