/** An embedder that fails as a test wants it to, and a memory that uses it. */

import type { Lamina } from '../src/compose/lamina.ts';
import type { Memory } from '../src/operations/memory.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import { openLamina, untilTestEnds } from './running-lamina.ts';

/** Does as it is told, where it is told anything. */
export class WilfulEmbedder extends HashEmbedder {
  instead: ((texts: readonly string[]) => unknown) | undefined;

  override embed(texts: readonly string[]): Promise<Float32Array[]> {
    return (this.instead?.(texts) as Promise<Float32Array[]> | undefined) ?? super.embed(texts);
  }
}

/** Closed when the test ends. */
export async function remembering(embedder: WilfulEmbedder): Promise<{ memory: Memory; lamina: Lamina }> {
  const opened = untilTestEnds(await openLamina({ embedder }));
  const memory = opened.lamina.as({ userId: 'alice' });
  await memory.add({ content: 'The harbour freezes in January', layer: 'user' });
  return { memory, lamina: opened.lamina };
}
