/**
 * How well memories in several languages are found: by words, by meaning, by both, and by an English question. With the local
 * model, or with any other by LAMINA_EMBEDDINGS=openai and LAMINA_OPENAI_BASE_URL: see docs/languages.md.
 */

import { loadConfiguration } from '../../src/compose/configuration.ts';
import { embedderOf } from '../../src/compose/embedders.ts';
import { Lamina } from '../../src/compose/lamina.ts';
import type { Memory } from '../../src/operations/memory.ts';
import { hostTracing } from '../../src/telemetry/open-telemetry-tracing.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { LANGUAGES, type Language, type Said } from './sentences.ts';

type Mode = 'keyword' | 'semantic' | 'hybrid';

/** Of six memories of one language: how often the right one comes first, and how many pass the default threshold. */
interface Found {
  readonly first: number;
  readonly right: number;
  readonly wrong: number;
}

async function remember(memory: Memory, said: readonly Said[]): Promise<string[]> {
  const added = await memory.addMany(said.map(({ memory: content }) => ({ content, layer: 'user' as const })));
  return added.map(({ memory: { id } }) => id);
}

async function ask(memory: Memory, ids: readonly string[], questions: readonly string[], mode: Mode): Promise<Found> {
  let [first, right, wrong] = [0, 0, 0];
  for (const [index, query] of questions.entries()) {
    const { results } = await memory.search({ query, mode, limit: 1, threshold: 0, rank: 'relevance' });
    first += Number(results[0]?.memory.id === ids[index]);
    const { results: kept } = await memory.search({ query, mode, rank: 'relevance' });
    const isKept = kept.some(({ memory: { id } }) => id === ids[index]);
    right += Number(isKept);
    wrong += kept.length - Number(isKept);
  }
  return { first, right, wrong };
}

const configuration = await loadConfiguration(process.env, {});
const folder = temporaryFolder();
const embedder = embedderOf(configuration, hostTracing());
const lamina = await Lamina.open({ folder, embedder });
try {
  process.stdout.write(`Model: ${(await embedder.space()).model}\n\n`);
  process.stdout.write(
    '| language | words | meaning | both | right above 0.7 | wrong above 0.7 | asked in English |\n',
  );
  process.stdout.write('| --- | --- | --- | --- | --- | --- | --- |\n');
  const english = LANGUAGES.English.map(({ question }) => question);
  for (const [language, said] of Object.entries(LANGUAGES) as [Language, readonly Said[]][]) {
    const memory = lamina.as({ userId: language });
    const ids = await remember(memory, said);
    const own = said.map(({ question }) => question);
    const words = await ask(memory, ids, own, 'keyword');
    const meaning = await ask(memory, ids, own, 'semantic');
    const both = await ask(memory, ids, own, 'hybrid');
    const inEnglish = await ask(memory, ids, english, 'semantic');
    const count = said.length;
    const shares = [words.first, meaning.first, both.first, both.right].map((number) => `${number}/${count}`);
    const cells = [...shares, `${both.wrong}/${count * (count - 1)}`, `${inEnglish.first}/${count}`];
    process.stdout.write(`| ${[language, ...cells].join(' | ')} |\n`);
  }
} finally {
  await lamina.close();
}
