/** Closing a Lamina lets go of everything, whatever becomes of some of it. */

import { expect, it, onTestFinished, vi } from 'vitest';
import { parseConfiguration } from '../src/compose/configuration.ts';
import { openConfigured } from '../src/compose/configured-lamina.ts';
import { Lamina } from '../src/compose/lamina.ts';
import { systemClock } from '../src/compose/system.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { OpenAiLanguageModel } from '../src/language/openai-language-model.ts';
import { hostTracing } from '../src/telemetry/open-telemetry-tracing.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { ScriptedModel } from '../src/testing/scripted-model.ts';
import { engineWith } from './engine-with.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

class StubbornModel extends ScriptedModel {
  override async close(): Promise<void> {
    throw new Error('The model cannot be closed.');
  }
}

it('closes the engine and the embedder also where a model cannot be closed, and says so', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const closed: string[] = [];
  const engine = new SqliteEngine({ folder, clock: systemClock });
  const close = async (): Promise<void> => {
    closed.push('engine');
    await engine.close();
  };
  const embedder = new HashEmbedder();
  embedder.close = async () => void closed.push('embedder');
  const watched = engineWith(engine, { close });
  const lamina = await Lamina.open({ engine: watched, embedder, languageModel: new StubbornModel() });
  await lamina.as({ userId: 'alice' }).add({ content: 'tea', layer: 'user' });
  await expect(lamina.close()).rejects.toThrow('The model cannot be closed.');
  expect(closed).toEqual(['engine', 'embedder']);
});

it('lets go of engine and models where opening what is configured fails', async () => {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const closing = vi.spyOn(OpenAiLanguageModel.prototype, 'close');
  onTestFinished(() => closing.mockRestore());
  const configuration = parseConfiguration({
    environment: {
      LAMINA_DATABASE_URL: `sqlite:${folder}`,
      LAMINA_REDIS_URL: 'redis://127.0.0.1:1',
      LAMINA_LANGUAGE_MODEL_URL: 'http://127.0.0.1:1/v1',
      LAMINA_LANGUAGE_MODEL: 'tiny',
    },
  });
  await expect(openConfigured(configuration, { tracing: hostTracing() })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  expect(closing).toHaveBeenCalledTimes(1);
});
