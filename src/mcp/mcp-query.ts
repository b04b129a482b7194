/** The query string of the MCP endpoint: `/mcp?project=lamina&tools=agent`. */

import { LaminaError } from '../domain/error.ts';
import { SENSITIVITIES, type Sensitivity } from '../domain/kind.ts';
import type { Principal } from '../domain/principal.ts';
import { mcpPlace, PLACE_NAMES, type McpPlace } from './mcp-place.ts';
import { parseToolSets, type ToolSet } from './tool-set-names.ts';

const NAMES = ['tools', 'max-sensitivity', ...Object.keys(PLACE_NAMES)];

export interface McpQuery {
  readonly place: McpPlace;
  readonly toolSets: readonly ToolSet[] | undefined;
  readonly maxSensitivity: Sensitivity | undefined;
}

/** Throws `VALIDATION_FAILED` for unknown names and invalid values. */
export function parseMcpQuery(search: string, principal: Principal): McpQuery {
  const values = new Map(new URLSearchParams(search));
  const unknown = [...values.keys()].find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw new LaminaError('VALIDATION_FAILED', `Unknown parameter "${unknown}". There are: ${NAMES.join(', ')}.`);
  }
  const tools = values.get('tools');
  return {
    place: mcpPlace(principal, values),
    toolSets: tools === undefined ? undefined : parseToolSets(tools),
    maxSensitivity: parseSensitivity(values.get('max-sensitivity')),
  };
}

/** Throws `VALIDATION_FAILED`. */
export function parseSensitivity(text: string | undefined): Sensitivity | undefined {
  const level = SENSITIVITIES.find((each) => each === text);
  if (text === undefined || level !== undefined) return level;
  throw new LaminaError('VALIDATION_FAILED', `max-sensitivity accepts ${SENSITIVITIES.join(', ')}.`);
}
