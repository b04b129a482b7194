/** The flags of `lamina mcp`: the settings that matter to it, whose memory it is, and what is offered. */

import { TOKEN_VARIABLE, type Flags } from '../compose/configuration-sources.ts';
import { flagOf, type SettingKey } from '../compose/settings.ts';
import { asLaminaError } from '../domain/error.ts';
import { SENSITIVITIES, type Sensitivity } from '../domain/kind.ts';
import { LOCAL_USER, principalSchema, type PrincipalInput } from '../domain/principal.ts';
import { mcpPlace, PLACE_NAMES, type McpPlace } from '../mcp/mcp-place.ts';
import { parseSensitivity } from '../mcp/mcp-query.ts';
import { parseToolSets, type ToolSet } from '../mcp/tool-set-names.ts';
import { usageError, type Flag, type Given } from './command.ts';
import { assertPrincipal } from './memory-flags.ts';
import { FLAG_SETTINGS, settingFlags, settingsFrom } from './setting-flags.ts';

const COMMAND = 'mcp';

/** Of a service that listens, and does not: it has one client, which has started it. */
const SERVER_SETTINGS: readonly SettingKey[] = ['host', 'port', 'auth', 'jwksUrl', 'jwtIssuer', 'jwtAudience'];

const SETTING_FLAGS = FLAG_SETTINGS.filter((key) => !SERVER_SETTINGS.includes(key));

const OFFER = 'What is offered';
const WHO = 'On whose behalf, and where';
const SETTINGS_OF_SERVE = 'Settings of lamina serve';

/** The settings of listening aside, it takes those of `lamina serve`. */
export const MCP_FLAGS: readonly Flag[] = [
  {
    name: 'tools',
    value: 'SETS',
    group: OFFER,
    description:
      'agent (tools for agents), graph (those of the reference memory server), operations (every operation), ' +
      'a list of these with commas, or all',
    fallback: 'agent,graph',
  },
  {
    name: 'max-sensitivity',
    value: 'LEVEL',
    group: OFFER,
    description: `The most sensitive that the model may be shown: ${SENSITIVITIES.join(', ')}`,
    fallback: 'the most that a database gives, turn.maxSensitivity; of a service: internal',
  },
  { name: 'user', value: 'NAME', group: WHO, description: 'The user', fallback: 'the local user' },
  { name: 'tenant', value: 'UUID', group: WHO, description: 'The tenant', fallback: 'the nil tenant' },
  ...Object.keys(PLACE_NAMES).map((name) => ({
    name,
    value: 'ID',
    group: WHO,
    description: 'Where the client is: the layers of these ids are open',
  })),
  {
    name: 'url',
    value: 'URL',
    group: 'Which memory',
    description: `A service to speak to, instead of a database. ${TOKEN_VARIABLE} is its token or key`,
  },
  ...settingFlags(SETTING_FLAGS).map((flag) => ({
    ...flag,
    group: SETTINGS_OF_SERVE,
    ...(flag.name === flagOf('databaseUrl') && { fallback: 'the folder .lamina in your home folder' }),
  })),
];

export interface McpFlags {
  readonly settings: Flags;
  /** The service to speak to, instead of a database. */
  readonly url: string | undefined;
  readonly principal: PrincipalInput;
  /** Else it is the local one, or that of the token. */
  readonly isUserNamed: boolean;
  readonly place: McpPlace;
  readonly toolSets: readonly ToolSet[] | undefined;
  readonly maxSensitivity: Sensitivity | undefined;
}

/** Throws a usage error. */
export function mcpFlags(values: Given, hasToken: boolean): McpFlags {
  const settings = settingsFrom(values, SETTING_FLAGS);
  const url = values.value('url');
  const isPlaced = Object.keys(PLACE_NAMES).some((name) => values.has(name));
  if (url !== undefined && hasToken && (isPlaced || values.has('tenant')) && !values.has('user')) {
    throw usageError('Name --user too: whom the token stands for is not known here, and the ids go together.', COMMAND);
  }
  const principal = principalOf(values);
  const isKnown = url === undefined || !hasToken || values.has('user');
  const tools = values.value('tools');
  return {
    settings,
    url,
    principal,
    isUserNamed: values.has('user'),
    place: asUsage(() => mcpPlace(isKnown ? principalSchema.parse(principal) : undefined, placeNames(values))),
    toolSets: tools === undefined ? undefined : asUsage(() => parseToolSets(tools)),
    maxSensitivity: asUsage(() => parseSensitivity(values.value('max-sensitivity'))),
  };
}

function placeNames(values: Given): ReadonlyMap<string, string> {
  return new Map(
    Object.keys(PLACE_NAMES).flatMap((name) => values.values(name).map((value) => [name, value] as const)),
  );
}

function principalOf(values: Given): PrincipalInput {
  const tenant = values.value('tenant');
  const given = { userId: values.value('user') ?? LOCAL_USER, ...(tenant !== undefined && { tenantId: tenant }) };
  assertPrincipal(COMMAND, given);
  return given;
}

/** What is wrong with a flag, as a mistake on the command line. */
function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw usageError(asLaminaError(error).message, COMMAND);
  }
}
