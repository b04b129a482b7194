/** Messages that ask for nothing: a turn looks for nothing then. */

import { describe, expect, it } from 'vitest';
import { isSmallTalk } from '../src/core/text/small-talk.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';

describe('small talk', () => {
  it.each([
    'ok',
    'OK, thanks',
    'thanks!',
    'Thank you so much for your help!',
    'good morning',
    'hi',
    'Hey there, how are you?',
    'yes please',
    'Got it.',
    'Sounds good!',
    "That's great, thanks",
    'Vielen Dank!',
    'no, not really',
    'Nice',
    'ok?',
  ])('is %j', (message) => {
    expect(isSmallTalk(message)).toBe(true);
  });

  it.each([
    '',
    '👍',
    'How am I?',
    'Who is it for?',
    'What was it again?',
    'ok, where do I work?',
    'thanks, and the flight?',
    'thanks, and tomorrow?',
    'ok, is work on tomorrow',
    'No work tomorrow?',
    'Is there work tomorrow?',
    'good tea',
    'how is my dog',
    'no sugar',
    'hello world',
  ])('may not be %j', (message) => {
    expect(isSmallTalk(message)).toBe(false);
  });

  it('brings nothing of earlier conversations into a prompt', async () => {
    const { lamina } = untilTestEnds(await openLamina());
    const memory = lamina.as({ userId: 'maya', agentId: 'helper' });
    await memory.add({ content: 'Says thanks for everything', layer: 'user' });
    await memory.remember({
      sessionId: 'tue',
      messages: [
        { id: '1', role: 'user', content: 'ok thanks. My boarding pass is in the wallet' },
        { id: '2', role: 'assistant', content: 'Good to know.' },
        { id: '3', role: 'user', content: 'I have decided to quit my job, but nobody knows yet.' },
      ],
    });
    const shown = async (message: string): Promise<number> =>
      (await memory.turnContext({ message, sessionId: 'wed', recentTurns: 0 })).receipt.taken.length;
    for (const message of ['ok', 'thanks!', 'OK, thanks']) expect(await shown(message), message).toBe(0);
    expect(await shown('Where is my boarding pass?')).toBeGreaterThan(0);
  });
});
