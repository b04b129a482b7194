/** A model of the AI SDK that says what a script tells it, and keeps what it was sent. */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { MockLanguageModelV4, convertArrayToReadableStream } from 'ai/test';

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** What the model does in one step. */
export type Step = string | { readonly tool: string; readonly input: object; readonly text?: string } | Error;

let calls = 0;

function contentOf(step: Exclude<Step, Error>): LanguageModelV4Content[] {
  if (typeof step === 'string') return [{ type: 'text', text: step }];
  const call = { toolCallId: `call-${(calls += 1)}`, toolName: step.tool, input: JSON.stringify(step.input) };
  return [
    ...(step.text === undefined ? [] : [{ type: 'text' as const, text: step.text }]),
    { type: 'tool-call' as const, ...call },
  ];
}

function generated(step: Step): LanguageModelV4GenerateResult {
  if (step instanceof Error) throw step;
  const unified = typeof step === 'string' ? 'stop' : 'tool-calls';
  return { content: contentOf(step), finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] };
}

/** Texts come in pieces of a few characters. */
export function streamParts(step: Step): LanguageModelV4StreamPart[] {
  const { content, finishReason, usage } = generated(step);
  const parts = content.flatMap((part, at): LanguageModelV4StreamPart[] => {
    if (part.type !== 'text') return [part as LanguageModelV4StreamPart];
    const pieces = part.text.match(/.{1,5}/gsu) ?? [];
    const id = `text-${at}`;
    return [
      { type: 'text-start', id },
      ...pieces.map((delta) => ({ type: 'text-delta' as const, id, delta })),
      { type: 'text-end', id },
    ];
  });
  return [{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }];
}

/** The script is used up step by step, generating or streaming; past its end the model fails. */
export function scriptedModel(...script: Step[]): MockLanguageModelV4 {
  const next = (): Step => script.shift() ?? new Error('The script is over.');
  return new MockLanguageModelV4({
    doGenerate: async () => generated(next()),
    doStream: async () => ({ stream: convertArrayToReadableStream(streamParts(next())) }),
  });
}

/** What the model was sent as the user's last message, in call number `at`. */
export function sentTo(model: MockLanguageModelV4, at = 0): string {
  const sent = [...model.doGenerateCalls, ...model.doStreamCalls][at];
  return userText(sent);
}

function userText(sent: LanguageModelV4CallOptions | undefined): string {
  const message = sent?.prompt.findLast(({ role }) => role === 'user');
  if (message?.role !== 'user') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : `<${part.mediaType}>`)).join('|');
}
