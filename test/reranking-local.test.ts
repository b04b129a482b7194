/** A cross-encoder on this machine: a real process, a real runtime, and a graph small enough to be made here. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localReranker } from '../src/compose/rerankers.ts';
import type { LaminaError } from '../src/domain/error.ts';
import { OnnxGraph } from '../src/embedding/minilm/onnx-graph.ts';
import type { Reranker } from '../src/ports/reranker.ts';
import { openLamina } from './running-lamina.ts';
import { makeFolder, removeFolder } from './sqlite-folder.ts';

const WORDS =
  'where does the sailing boat lie in winter who repaired kitchen window which train goes to mountains on sundays lies a ' +
  'shed by river was our neighbour is glazier at nine harbour of town freezes closed really january some no has winters';

const PATIENT = { signal: new AbortController().signal };

function vocabulary(): Record<string, number> {
  const pieces = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '?', '.', ',', ...new Set(WORDS.split(' '))];
  return Object.fromEntries(pieces.map((piece, id) => [piece, id]));
}

/** Scores a text by how many of its tokens the query has too: each token of one is compared with each of the other. */
function overlapGraph(outputs: 1 | 2 = 1): Uint8Array {
  const graph = new OnnxGraph();
  const ids = graph.input('input_ids', 'int64', ['n', 't']);
  const mask = graph.input('attention_mask', 'int64', ['n', 't']);
  const types = graph.input('token_type_ids', 'int64', ['n', 't']);
  const float = (value: string): string => graph.op('Cast', [value], { to: 1 });
  const [rows, columns] = [graph.whole(2), graph.whole(1)];
  const same = float(graph.op('Equal', [graph.op('Unsqueeze', [ids, rows]), graph.op('Unsqueeze', [ids, columns])]));
  const known = graph.op('Cast', [graph.op('Greater', [ids, graph.whole(6)])], { to: 1 });
  const ofText = graph.op('Mul', [float(types), known]);
  const ofQuery = graph.op('Mul', [graph.op('Sub', [float(mask), float(types)]), known]);
  const pairs = graph.op('Mul', [graph.op('Unsqueeze', [ofQuery, rows]), graph.op('Unsqueeze', [ofText, columns])]);
  const overlap = graph.op('ReduceSum', [graph.op('Mul', [same, pairs]), graph.whole(1, 2)], { keepdims: 0 });
  const logits = graph.op('Unsqueeze', [graph.op('Sub', [overlap, graph.floats(4)]), columns]);
  const both = outputs === 1 ? logits : graph.op('Concat', [graph.op('Neg', [logits]), logits], { axis: 1 });
  graph.output(both, 'logits', ['n', outputs]);
  return graph.toBytes();
}

async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  await mkdir(join(folder, 'onnx'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

const TOKENIZER = JSON.stringify({ model: { type: 'WordPiece', vocab: vocabulary() } });

async function localOn(files: Readonly<Record<string, string | Uint8Array>>): Promise<Reranker> {
  const reranker = localReranker({ folder: await folderWith(files) });
  onTestFinished(() => reranker.close());
  return reranker;
}

const failureOf = (call: Promise<unknown>): Promise<LaminaError> =>
  call.then(
    () => expect.fail('it answered'),
    (error: LaminaError) => error,
  );

const TEXTS = ['the train', 'the harbour of the town is closed', 'harbour'];

describe('a local cross-encoder', () => {
  it('reads the query with each text, in batches, and gives the scores in their order', async () => {
    const reranker = await localOn({ 'model.onnx': overlapGraph(), 'tokenizer.json': TOKENIZER });
    const scores = await reranker.rerank('harbour of town', [...TEXTS, 'harbour '.repeat(300)], PATIENT);
    const expected = [-4, -1, -3, 0].map((logit) => 1 / (1 + Math.exp(-logit)));
    expect(scores.slice(0, 3).map((score) => score.toFixed(5))).toEqual(
      expected.slice(0, 3).map((score) => score.toFixed(5)),
    );
    // Read up to its window, and no further.
    expect(scores[3]).toBeGreaterThan(0.99);
    expect([reranker.isOutside, await reranker.rerank('harbour', [], PATIENT)]).toEqual([false, []]);
  });

  it('takes a folder as it comes from elsewhere, and a model with two outputs', async () => {
    const reranker = await localOn({ 'onnx/model.onnx': overlapGraph(2), 'tokenizer.json': TOKENIZER });
    const [first = 0, second = 0] = await reranker.rerank('harbour of town', TEXTS, PATIENT);
    expect([first, second].map((score) => score.toFixed(4))).toEqual(['0.0003', '0.1192']);
  });

  it('ranks a search, sees what is confidential, and measures itself', async () => {
    const reranker = await localOn({ 'model.onnx': overlapGraph(), 'tokenizer.json': TOKENIZER });
    const { lamina, close } = await openLamina({ reranker, reranking: { budgetMs: 20_000 } });
    onTestFinished(close);
    const memory = lamina.as({ userId: 'alice' });
    for (const content of ['Winters in the harbour town', 'The harbour of the town freezes in January']) {
      await memory.add({ content, layer: 'user', sensitivity: 'confidential' });
    }
    const { results, warnings } = await memory.search({ query: 'harbour of the town in January', threshold: 0 });
    expect(warnings).toBeUndefined();
    expect(results[0]?.memory.content).toBe('The harbour of the town freezes in January');
    expect(results[0]?.signals.rerank).toBeGreaterThan(results[1]?.signals.rerank ?? 1);
  });

  it.each([
    ['there is no tokenizer.json', { 'model.onnx': overlapGraph() }],
    ['there is no model.onnx', { 'tokenizer.json': TOKENIZER }],
    ['WordPiece', { 'model.onnx': overlapGraph(), 'tokenizer.json': '{"model":{"type":"Unigram","vocab":[]}}' }],
    ['cannot be used', { 'model.onnx': 'no model', 'tokenizer.json': TOKENIZER }],
    ['cannot be used', { 'model.onnx': overlapGraph(), 'tokenizer.json': '{' }],
  ])('says what is wrong with a folder: %s', async (problem, files) => {
    const reranker = await localOn(files);
    const error = await failureOf(reranker.rerank('harbour', TEXTS, PATIENT));
    expect([error.code, error.message]).toEqual(['CONFIGURATION_ERROR', expect.stringContaining(problem)]);
  });

  it('ends when nobody waits any longer, goes on after that, and is closed', async () => {
    const reranker = await localOn({ 'model.onnx': overlapGraph(), 'tokenizer.json': TOKENIZER });
    const impatient = new AbortController();
    const waiting = failureOf(reranker.rerank('harbour', TEXTS, { signal: impatient.signal }));
    impatient.abort();
    expect((await waiting).message).toContain('in time');
    expect(await reranker.rerank('harbour', TEXTS, PATIENT)).toHaveLength(3);
    const last = failureOf(reranker.rerank('harbour', TEXTS, PATIENT));
    await reranker.close();
    expect((await last).message).toContain('closed');
    expect((await failureOf(reranker.rerank('harbour', TEXTS, PATIENT))).message).toContain('closed');
  });
});
