/** The place of an MCP client: its agent, conversation, project and so on, from flags or the URL. */

import { identifiersSchema } from '../domain/entry.ts';
import { LaminaError } from '../domain/error.ts';
import { DEFAULT_AGENT, type Principal } from '../domain/principal.ts';
import type { IdentifierName } from '../domain/scope.ts';
import type { ToolContext } from '../tools/memory-tool.ts';

/** How each id is written: `--project lamina`, or `/mcp?project=lamina`. */
export const PLACE_NAMES = {
  agent: 'agentId',
  session: 'sessionId',
  project: 'projectId',
  team: 'teamId',
  org: 'orgId',
  company: 'companyId',
} as const satisfies Record<string, IdentifierName>;

export type McpPlace = Pick<ToolContext, 'agentId' | 'sessionId' | 'identifiers'>;

/**
 * Identifiers are used as given, so the principal's own are added to the named ones. Without a principal (only the service
 * knows whom the token stands for) no identifiers are sent; the service uses the caller's own. Throws `VALIDATION_FAILED`
 * for an invalid id.
 */
export function mcpPlace(principal: Principal | undefined, given: ReadonlyMap<string, string>): McpPlace {
  const named = Object.entries(PLACE_NAMES).flatMap(([name, field]) => {
    const value = given.get(name);
    return value === undefined ? [] : [[name, field, value] as const];
  });
  for (const [name, field, value] of named) {
    if (identifiersSchema.shape[field].safeParse(value).success) continue;
    throw new LaminaError('VALIDATION_FAILED', `"${name}" is an id of 1 to 100 characters.`);
  }
  const agentId = given.get('agent') ?? principal?.agentId ?? DEFAULT_AGENT;
  if (principal === undefined) return { agentId };
  const { userId, tenantId } = principal;
  const sessionId = given.get('session');
  const ids = Object.fromEntries(named.map(([, field, value]) => [field, value]));
  return {
    agentId,
    ...(sessionId !== undefined && { sessionId }),
    identifiers: { userId, companyId: tenantId, agentId, ...ids },
  };
}
