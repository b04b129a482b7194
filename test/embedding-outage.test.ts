/** Searching while the embedding endpoint is down: with words, without waiting, and as before when it is back. */

import { expect, it } from 'vitest';
import { OpenAiEmbedder } from '../src/embedding/openai/openai-embedder.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { startJsonServer, untilTestEnds } from './json-server.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

class SleepNotingClock extends ManualClock {
  slept = 0;

  override sleep(ms: number): Promise<void> {
    this.slept += ms;
    return super.sleep(ms);
  }
}

/** Any vector will do, if texts have different ones. */
function vectorOf(text: string): number[] {
  return [1, text.length, text.codePointAt(0) ?? 0];
}

it('a hybrid search falls back to words at once while the endpoint is left alone', async () => {
  let isDown = false;
  const server = untilTestEnds(
    await startJsonServer(({ body }) => {
      if (isDown) return { status: 503 };
      return {
        body: { data: (body['input'] as string[]).map((text, index) => ({ index, embedding: vectorOf(text) })) },
      };
    }),
  );
  const clock = new SleepNotingClock();
  const embedder = new OpenAiEmbedder({ clock, baseUrl: server.url, model: 'm' });
  const folder = await makeFolder();
  await using lamina = await Lamina.open({ folder, embedder, clock });
  const memory = lamina.as({ userId: 'alice' });
  await memory.add({ content: 'The harbour freezes in January', layer: 'user' });
  expect((await memory.search({ query: 'harbour', threshold: 0 })).warnings).toBeUndefined();

  isDown = true;
  const degraded = await memory.search({ query: 'harbour frozen', threshold: 0 });
  expect(degraded.warnings).toHaveLength(1);
  await memory.search({ query: 'harbour icy', threshold: 0 });
  const [asked, slept] = [server.requests.length, clock.slept];
  for (const query of ['harbour cold', 'harbour shut', 'harbour in January']) {
    const { results, warnings } = await memory.search({ query, threshold: 0 });
    expect(warnings).toHaveLength(1);
    expect(results.map((one) => one.memory.content)).toEqual(['The harbour freezes in January']);
  }
  expect([server.requests.length, clock.slept]).toEqual([asked, slept]);
  expect(await lamina.health()).toMatchObject({
    status: 'degraded',
    components: { embedder: { status: 'degraded', message: expect.stringContaining('left alone') as string } },
  });

  isDown = false;
  clock.advance(10_000);
  expect((await memory.search({ query: 'harbour again', threshold: 0 })).warnings).toBeUndefined();
  expect(await lamina.health()).toMatchObject({ status: 'healthy' });
  await lamina.close();
  await removeFolder(folder);
});
