/** Entry of the process in which a local cross-encoder runs: takes questions, answers each with its scores. */

import { openCrossEncoder } from './cross-encoder-model.ts';

interface CrossEncoderQuestion {
  readonly id: number;
  readonly query: string;
  readonly texts: readonly string[];
}

export type CrossEncoderRequest =
  | CrossEncoderQuestion
  /** Nobody waits for this one any longer. */
  | { readonly abandoned: number };

export type CrossEncoderReply =
  | { readonly id: number; readonly scores: readonly number[] }
  | { readonly id: number; readonly problem: string }
  /** It does not run here. */
  | { readonly unavailable: string };

const reply = (message: CrossEncoderReply): void => void process.send?.(message);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function main(folder: string): Promise<void> {
  // Sent to everything in a terminal: the process ends with the one that started it, not before.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  process.once('disconnect', () => process.exit());
  const wanted = new Set<number>();
  const loading = openCrossEncoder(folder);
  let last: Promise<void> = Promise.resolve();
  const answer = async (before: Promise<void>, { id, query, texts }: CrossEncoderQuestion): Promise<void> => {
    await before;
    const isWanted = (): boolean => wanted.has(id);
    try {
      const scores = isWanted() ? await (await loading).scores(query, texts, isWanted) : [];
      if (wanted.delete(id)) reply({ id, scores });
    } catch (error) {
      reply({ id, problem: messageOf(error) });
    }
  };
  // From the beginning, so that nothing is missed while the model is loaded. One after the other.
  process.on('message', (request: CrossEncoderRequest) => {
    if ('abandoned' in request) return void wanted.delete(request.abandoned);
    wanted.add(request.id);
    last = answer(last, request);
  });
  try {
    await loading;
  } catch (error) {
    reply({ unavailable: messageOf(error) });
  }
}

await main((JSON.parse(process.argv[2] ?? '{}') as { folder: string }).folder);
