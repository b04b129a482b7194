/** The prompt of the MCP server: what is remembered of a message, and then the message. */

import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import { TURN_KINDS, type TurnKind } from '../domain/turn.ts';
import type { ToolContext } from '../tools/memory-tool.ts';
import { inProtocol } from './protocol-failure.ts';
import type { ReportFailure } from './tool-answer.ts';

const TURN_CONTEXT_PROMPT = 'turn-context';

/** In the protocol, arguments of a prompt are always text. */
const argumentsSchema = z.object({
  message: z.string().describe('What the user says.'),
  agentId: z.string().optional().describe('The agent that answers. Default: the agent of the server.'),
  sessionId: z.string().optional().describe('The conversation. Default: the session of the server.'),
  tokenBudget: z.string().optional().describe('Maximum number of tokens that memory may add; a whole number.'),
  kinds: z
    .string()
    .optional()
    .describe('semantic (what is known), episodic (what was said), or both: a comma-separated list. Default both.'),
});

export function registerPrompts(server: McpServer, context: ToolContext, report: ReportFailure): void {
  server.registerPrompt(
    TURN_CONTEXT_PROMPT,
    {
      title: 'Turn context',
      description: 'A message of the user, preceded by the memories that are relevant to it.',
      argsSchema: argumentsSchema,
    },
    ({ message, agentId = context.agentId, sessionId = context.sessionId, tokenBudget, kinds }) =>
      inProtocol(
        'turnContext',
        async () => {
          const { identifiers, maxSensitivity, minTrust } = context;
          const {
            prompt,
            tokens,
            warnings = [],
          } = await context.memory.turnContext({
            message,
            ...(agentId !== undefined && { agentId }),
            ...(sessionId !== undefined && { sessionId }),
            ...(identifiers !== undefined && { identifiers }),
            ...(maxSensitivity !== undefined && { maxSensitivity }),
            ...(minTrust !== undefined && { minTrust }),
            ...(tokenBudget !== undefined && { tokenBudget: wholeNumber(tokenBudget) }),
            ...(kinds !== undefined && { kinds: kindsIn(kinds) }),
          });
          return {
            description: [`Memory adds about ${tokens} tokens.`, ...warnings].join(' '),
            messages: [{ role: 'user' as const, content: { type: 'text' as const, text: prompt } }],
          };
        },
        report,
      ),
  );
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  throw new LaminaError('VALIDATION_FAILED', 'The input does not fit: tokenBudget: must be a whole number.');
}

function kindsIn(text: string): TurnKind[] {
  return text.split(',').map((part) => {
    const kind = TURN_KINDS.find((each) => each === part.trim());
    if (kind !== undefined) return kind;
    throw new LaminaError('VALIDATION_FAILED', `The input does not fit: kinds: accepts ${TURN_KINDS.join(', ')}.`);
  });
}
