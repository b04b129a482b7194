/** The flags of `lamina mcp`: the settings that matter to it, whose memory it is, and what is offered. */

import { TOKEN_VARIABLE, type Flags } from '../compose/configuration-sources.ts';
import { flagOf, SETTING_KEYS, SETTINGS, type Setting, type SettingKey } from '../compose/settings.ts';
import { asLaminaError } from '../domain/error.ts';
import { SENSITIVITIES, type Sensitivity } from '../domain/kind.ts';
import { LOCAL_USER, principalSchema, type Principal } from '../domain/principal.ts';
import { mcpPlace, PLACE_NAMES, type McpPlace } from '../mcp/mcp-place.ts';
import { parseSensitivity } from '../mcp/mcp-query.ts';
import { parseToolSets, type ToolSet } from '../mcp/tool-set-names.ts';
import { readFlagValues, usageError } from './command.ts';

const COMMAND = 'mcp';

/** Of a service that listens, and does not: it has one client, which has started it. */
const SERVER_SETTINGS: readonly SettingKey[] = ['host', 'port', 'auth', 'jwksUrl', 'jwtIssuer', 'jwtAudience'];

const SETTING_FLAGS = SETTING_KEYS.filter(
  (key) => (SETTINGS[key] as Setting).sources.includes('flag') && !SERVER_SETTINGS.includes(key),
);

const OWN_FLAGS = ['url', 'user', 'tenant', 'tools', 'max-sensitivity', ...Object.keys(PLACE_NAMES)];

export interface McpFlags {
  readonly settings: Flags;
  /** The service to speak to, instead of a database. */
  readonly url: string | undefined;
  readonly principal: Principal;
  readonly place: McpPlace;
  readonly toolSets: readonly ToolSet[] | undefined;
  readonly maxSensitivity: Sensitivity | undefined;
}

/** Throws a usage error. */
export function mcpFlags(args: readonly string[], hasToken: boolean): McpFlags {
  const values = readFlagValues(COMMAND, args, [...OWN_FLAGS, ...SETTING_FLAGS.map(flagOf)]);
  const settings = Object.fromEntries(
    SETTING_FLAGS.flatMap((key) => (values.has(flagOf(key)) ? [[key, values.get(flagOf(key))]] : [])),
  );
  const url = values.get('url');
  if (url !== undefined && settings['databaseUrl'] !== undefined) {
    throw usageError('--url and --database-url exclude each other.', COMMAND);
  }
  const isPlaced = Object.keys(PLACE_NAMES).some((name) => values.has(name));
  if (url !== undefined && hasToken && isPlaced && !values.has('user')) {
    throw usageError('Name --user too: whom the token stands for is not known here, and the ids go together.', COMMAND);
  }
  const principal = principalFrom(values);
  const isKnown = url === undefined || !hasToken || values.has('user');
  const tools = values.get('tools');
  return {
    settings,
    url,
    principal,
    place: asUsage(() => mcpPlace(isKnown ? principal : undefined, values)),
    toolSets: tools === undefined ? undefined : asUsage(() => parseToolSets(tools)),
    maxSensitivity: asUsage(() => parseSensitivity(values.get('max-sensitivity'))),
  };
}

export function mcpHelp(): string {
  const settings = SETTING_FLAGS.map((key) => `--${flagOf(key)}`);
  return [
    'Serve memory to an MCP client over stdio.',
    '',
    'Usage: lamina mcp [flags]',
    '',
    '  --tools            What is offered: agent (tools for agents), graph (those of the reference memory server),',
    '                     operations (every operation), a list of these, or all. Default: agent,graph',
    '  --user, --tenant   On whose behalf. Default: the local user of the nil tenant',
    '  --agent, --session, --project, --team, --org, --company    Where the client is: the layers of these ids are open',
    `  --max-sensitivity  The most sensitive that the model may be shown: ${SENSITIVITIES.join(', ')}.`,
    '                     Default, and the most that a database gives: turn.maxSensitivity. Of a service: internal',
    `  --url              A service to speak to, instead of a database. ${TOKEN_VARIABLE} is its token or key`,
    '  --database-url     Default: the folder .lamina in your home folder',
    '',
    'It takes the settings of lamina serve too, except those of listening, as flags, variables or in a file:',
    ...wrapped(settings),
    '',
    'Standard output is for the protocol; messages for people go to standard error. It ends when its input ends, and on',
    'SIGTERM and SIGINT. Several can run on one folder at the same time. No client is an administrator.',
    '',
  ].join('\n');
}

function principalFrom(values: ReadonlyMap<string, string>): Principal {
  const tenant = values.get('tenant');
  const given = { userId: values.get('user') ?? LOCAL_USER, ...(tenant !== undefined && { tenantId: tenant }) };
  const { success, data } = principalSchema.safeParse(given);
  if (!success) throw usageError('--tenant accepts a UUID, --user a name of up to 100 characters.', COMMAND);
  return data;
}

/** What is wrong with a flag, as a mistake on the command line. */
function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw usageError(asLaminaError(error).message, COMMAND);
  }
}

const LINE_LENGTH = 110;

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= LINE_LENGTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}
