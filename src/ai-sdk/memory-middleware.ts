/** Memory around any model of the AI SDK: recalls before a turn, and logs the turn after it. */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from '@ai-sdk/provider';
import type { LanguageModelMiddleware } from 'ai';
import type { Memory } from '../operations/memory.ts';
import type { MemoryMiddlewareOptions } from './middleware-options.ts';
import { seedKey, seedOf } from './turn-ids.ts';
import { TurnLog, type Spoken } from './turn-log.ts';
import { conversationKey, turnOf, withText } from './turn-prompt.ts';
import { TurnRecall } from './turn-recall.ts';
import { resolveRequest, type MemoryHost, type ResolvedRequest, type TurnRequest } from './turn-request.ts';
import { TurnSeeds } from './turn-seeds.ts';
import { watchedStream } from './watched-stream.ts';

const PROVIDER = 'lamina';

/** The state of a call between its preparation and its end. */
interface Call {
  readonly log: TurnLog;
  /** Never fails. */
  readonly end: (spoken: Spoken) => Promise<void>;
  readonly warnings: readonly string[];
}

/**
 * For `wrapLanguageModel`. Puts what memory holds before the user's last message, the same in each step of a turn, and logs what the user and the model said. The model's answer is never changed.
 *
 * If memory fails or is slow, the call continues without it, with a warning in its `warnings`. Only a call that does not say whose memory it is, or says it wrongly, fails with a `LaminaError`.
 */
export function memoryMiddleware(
  memory: Memory | MemoryHost,
  options: MemoryMiddlewareOptions = {},
): LanguageModelMiddleware {
  const recall = new TurnRecall(options);
  const seeds = new TurnSeeds();
  const calls = new WeakMap<LanguageModelV4CallOptions, Call>();
  return {
    specificationVersion: 'v4',
    async transformParams({ params }) {
      const request = await requestOf(memory, options, params);
      const prepared = withoutRequest(params);
      const turn = turnOf(params.prompt);
      if (turn === undefined) return prepared;
      const named = await seedOf(turnKey(request, conversationKey(params.prompt, turn)));
      const recalled = await recall.recall(request, turn, seedKey(named), params);
      const prompt = recalled.text === '' ? params.prompt : withText(params.prompt, turn, recalled.text);
      const transformed = { ...prepared, prompt };
      const seed = seeds.of(params.prompt, turn, request, named);
      const log = new TurnLog(request, turn, seed, options);
      const end = (spoken: Spoken): Promise<void> => {
        if (turn.step === 0) seeds.ended(seed, request, named, !spoken.isInterrupted);
        return log.end(spoken);
      };
      calls.set(transformed, { log, end, warnings: recalled.warnings });
      return transformed;
    },
    async wrapGenerate({ doGenerate, params }) {
      const call = calls.get(params);
      if (call === undefined) return doGenerate();
      const result = await begun(call, doGenerate);
      await call.end(spokenIn(result));
      return { ...result, warnings: [...result.warnings, ...warningsOf(call)] };
    },
    async wrapStream({ doStream, params }) {
      const call = calls.get(params);
      if (call === undefined) return doStream();
      const result = await begun(call, doStream);
      const stream = watchedStream(result.stream, {
        signal: params.abortSignal,
        passed: (part) => warned(part, call),
        ended: call.end,
      });
      return { ...result, stream };
    },
  };
}

async function requestOf(
  memory: Memory | MemoryHost,
  { agentId, sessionId, identifiers, request }: MemoryMiddlewareOptions,
  params: LanguageModelV4CallOptions,
): Promise<ResolvedRequest> {
  const said = params.providerOptions?.[PROVIDER] as TurnRequest | undefined;
  return resolveRequest(memory, [{ agentId, sessionId, identifiers }, said, await request?.(params)]);
}

/** The principal is removed: some providers forward everything that they are given. */
function withoutRequest(params: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  if (params.providerOptions?.[PROVIDER] === undefined) return { ...params };
  const { [PROVIDER]: _, ...providerOptions } = params.providerOptions;
  return { ...params, providerOptions };
}

/** Equal only for the same turn of the same conversation, as far as the request identifies it. */
function turnKey({ userId, tenantId, agentId, sessionId, turnId }: TurnRequest, conversation: string): string {
  return JSON.stringify([tenantId, userId, agentId, sessionId, turnId, turnId === undefined ? conversation : '']);
}

/** Calls the model while what the user said is being logged, even if the model fails. */
async function begun<T>({ log, end }: Call, call: () => PromiseLike<T>): Promise<T> {
  log.begin();
  try {
    return await call();
  } catch (error) {
    await end({ text: '', isInterrupted: true, isUnfinished: false });
    throw error;
  }
}

function spokenIn({ content, finishReason }: LanguageModelV4GenerateResult): Spoken {
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return { text, isInterrupted: false, isUnfinished: finishReason.unified === 'tool-calls' };
}

function warningsOf({ warnings, log }: Call): SharedV4Warning[] {
  return [...warnings, ...log.warnings].map((message) => ({ type: 'other', message: `Lamina: ${message}` }));
}

/** Streams send their warnings at the beginning. */
function warned(part: LanguageModelV4StreamPart, call: Call): LanguageModelV4StreamPart {
  if (part.type !== 'stream-start') return part;
  return { ...part, warnings: [...part.warnings, ...warningsOf(call)] };
}
