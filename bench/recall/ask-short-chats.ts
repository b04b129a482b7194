/** Remembering short chats and asking for a prompt before each question: what it holds of the answer, and of anything else. */

import type { Memory } from '../../src/operations/memory.ts';
import { EXCHANGES_PER_SESSION, SHORT_CHATS, type ChatQuestion, type ShortChat } from './short-chats.ts';

const AGENT = 'assistant';

/** The heading and two or three lines fit in. */
const TIGHT_BUDGET = 80;

export interface AskedOfChat {
  readonly user: string;
  readonly question: ChatQuestion;
  /** What the turns in the prompt say, in its order. */
  readonly lines: readonly string[];
  readonly isFound: boolean;
  /** Where something was corrected: whether the correction is also in a prompt with little room. */
  readonly isCorrected?: boolean;
}

/** Figures over all chats. Lines are means over questions. */
export interface ChatFigures {
  readonly answerable: number;
  readonly found: number;
  readonly linesOfAnswerable: number;
  readonly unanswerable: number;
  /** Questions without an answer that find something. */
  readonly imagined: number;
  readonly linesOfUnanswerable: number;
  readonly corrections: number;
  /** Those that are also found where there is little room. */
  readonly corrected: number;
}

/** `as` gives the memory of a user. */
export async function askShortChats(as: (userId: string) => Memory): Promise<AskedOfChat[]> {
  const asked: AskedOfChat[] = [];
  for (const chat of SHORT_CHATS) {
    const memory = as(chat.user);
    await rememberChat(memory, chat);
    for (const question of chat.questions) asked.push(await askChat(memory, chat, question));
  }
  return asked;
}

async function rememberChat(memory: Memory, { user, exchanges }: ShortChat): Promise<void> {
  for (const [index, [, said, answered]] of exchanges.entries()) {
    await memory.remember({
      agentId: AGENT,
      sessionId: `${user}-${Math.floor(index / EXCHANGES_PER_SESSION)}`,
      messages: [
        { role: 'user', content: said },
        { role: 'assistant', content: answered },
      ],
    });
  }
}

async function askChat(memory: Memory, chat: ShortChat, question: ChatQuestion): Promise<AskedOfChat> {
  const texts = chat.exchanges.filter(([id]) => question.answers.includes(id)).map(([, said]) => said);
  const holds = (lines: readonly string[]): boolean =>
    texts.length > 0 && texts.every((text) => lines.some((line) => line.endsWith(text)));
  const linesWithin = async (tokenBudget?: number): Promise<string[]> => {
    const { context } = await memory.turnContext({
      message: question.asked,
      agentId: AGENT,
      sessionId: `${chat.user}-new`,
      preview: true,
      ...(tokenBudget !== undefined && { tokenBudget }),
    });
    return context.split('\n').filter((line) => line.startsWith('- '));
  };
  const lines = await linesWithin();
  return {
    user: chat.user,
    question,
    lines,
    isFound: holds(lines),
    ...(question.former !== undefined && { isCorrected: holds(await linesWithin(TIGHT_BUDGET)) }),
  };
}

export function chatFigures(asked: readonly AskedOfChat[]): ChatFigures {
  const answerable = asked.filter(({ question }) => question.answers.length > 0);
  const unanswerable = asked.filter(({ question }) => question.answers.length === 0);
  const corrections = asked.filter(({ isCorrected }) => isCorrected !== undefined);
  return {
    answerable: answerable.length,
    found: answerable.filter(({ isFound }) => isFound).length,
    linesOfAnswerable: meanLines(answerable),
    unanswerable: unanswerable.length,
    imagined: unanswerable.filter(({ lines }) => lines.length > 0).length,
    linesOfUnanswerable: meanLines(unanswerable),
    corrections: corrections.length,
    corrected: corrections.filter(({ isCorrected }) => isCorrected).length,
  };
}

function meanLines(asked: readonly AskedOfChat[]): number {
  return asked.reduce((sum, { lines }) => sum + lines.length, 0) / Math.max(1, asked.length);
}
