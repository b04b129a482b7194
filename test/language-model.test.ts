/** The language model over HTTP, against a double of the protocol: answers, costs, failures, patience. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { LaminaError } from '../src/domain/error.ts';
import type { RetryPolicy } from '../src/domain/retry.ts';
import { OpenAiLanguageModel, type LanguageModelOptions } from '../src/language/openai-language-model.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { startChatServer, type ChatAnswer, type ChatServer } from './chat-server.ts';

const KEY = 'sk-very-secret-key';

async function modelOn(
  answer: (count: number) => ChatAnswer,
  options: Partial<LanguageModelOptions> = {},
): Promise<{ model: OpenAiLanguageModel; server: ChatServer; clock: ManualClock }> {
  const server = await startChatServer((_asked, count) => answer(count));
  const clock = new ManualClock();
  const model = new OpenAiLanguageModel({ clock, baseUrl: server.url, model: 'tiny', apiKey: KEY, ...options });
  onTestFinished(async () => {
    await model.close();
    await server.close();
  });
  return { model, server, clock };
}

const failureOf = (call: Promise<unknown>): Promise<LaminaError> =>
  call.then(
    () => expect.fail('it answered'),
    (error: LaminaError) => error,
  );

describe('a language model', () => {
  it('answers with a text, the model that wrote it, and what it cost', async () => {
    const { model, server } = await modelOn(() => ({ text: ' Ada likes tea. ' }), { prices: { input: 1, output: 10 } });
    expect(await model.complete('Be brief.', 'Ada …')).toEqual({
      text: 'Ada likes tea.',
      model: 'tiny-2026',
      cost: { inputTokens: 100, outputTokens: 20, price: 0.0003 },
    });
    const [asked] = server.asked;
    expect([asked?.url, asked?.model, asked?.text]).toEqual(['/v1/chat/completions', 'tiny', 'Ada …']);
    expect(asked?.headers['authorization']).toBe(`Bearer ${KEY}`);
  });

  it('does not mind a server that counts nothing and names nothing', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'Tea.' } }], usage: { prompt_tokens: 'many' } });
    const { model } = await modelOn(() => ({ body }), { apiKey: undefined });
    expect(await model.complete('', 'x')).toEqual({
      text: 'Tea.',
      model: 'tiny',
      cost: { inputTokens: 0, outputTokens: 0 },
    });
  });

  it('is asked again when that can help, after as long as it asks for', async () => {
    const { model, server, clock } = await modelOn((count) =>
      count === 1 ? { status: 429, headers: { 'retry-after': '3' } } : count === 2 ? { status: 503 } : { text: 'ok' },
    );
    const before = clock.now();
    expect((await model.complete('', 'x')).text).toBe('ok');
    expect(server.asked).toHaveLength(3);
    expect(clock.now() - before).toBeGreaterThanOrEqual(3000);
  });

  it('is not asked again where it refuses, and its own words are not passed on', async () => {
    const { model, server } = await modelOn(() => ({ status: 401, body: `bad key ${KEY}` }));
    const error = await failureOf(model.complete('', 'x'));
    expect([error.code, error.retryable, server.asked.length]).toEqual(['PROVIDER_ERROR', false, 1]);
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  it.each(['', '{', '{}', '{"choices":[]}', '{"choices":[{"message":{"content":"  "}}]}', 'null'])(
    'fails for an answer without a text: %j',
    async (body) => {
      const { model } = await modelOn(() => ({ body }));
      expect((await failureOf(model.complete('', 'x'))).code).toBe('PROVIDER_ERROR');
    },
  );

  it('is given up when it takes too long, and left alone when it keeps failing', async () => {
    const retry: RetryPolicy = {
      maxAttempts: 1,
      initialDelayMs: 1,
      maxDelayMs: 1,
      backoffMultiplier: 1,
      retryableCodes: [],
    };
    const { model, server } = await modelOn(() => ({ isSilent: true }), { timeoutMs: 30, retry });
    expect((await failureOf(model.complete('', 'x'))).message).toMatch(/within 30 ms/);
    for (let round = 0; round < 4; round += 1) await failureOf(model.complete('', 'x'));
    expect((await failureOf(model.complete('', 'x'))).message).toMatch(/left alone/);
    expect(server.asked).toHaveLength(5);
  });

  it('cannot be set up with what can never work, and answers nothing once it is closed', async () => {
    const clock = new ManualClock();
    for (const wrong of [{ baseUrl: 'here' }, { baseUrl: 'http://u:p@h/v1' }, { apiKey: 'ü' }])
      expect(() => new OpenAiLanguageModel({ clock, baseUrl: 'http://h/v1', model: 'm', ...wrong })).toThrow(
        expect.objectContaining({ code: 'CONFIGURATION_ERROR' }),
      );
    const { model } = await modelOn(() => ({}));
    await model.close();
    expect((await failureOf(model.complete('', 'x'))).message).toMatch(/closed/);
  });
});
