/** A model's stream, passed on unchanged while its text is collected, however it ends. */

import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Spoken } from './turn-log.ts';

type Part = LanguageModelV4StreamPart;

interface Watching {
  /** Ends it as well, whether or not anyone keeps reading. */
  readonly signal: AbortSignal | undefined;
  /** What to pass on for a part. */
  readonly passed: (part: Part) => Part;
  /** Called once. The stream ends when this does. */
  readonly ended: (spoken: Spoken) => Promise<void>;
}

export function watchedStream(stream: ReadableStream<Part>, { signal, passed, ended }: Watching): ReadableStream<Part> {
  const reader = stream.getReader();
  const heard = new Heard();
  let ending: Promise<void> | undefined;
  const end = (isInterrupted: boolean): Promise<void> => {
    signal?.removeEventListener('abort', onAbort);
    return (ending ??= ended(heard.spoken(isInterrupted)));
  };
  const onAbort = (): void => void end(true);
  signal?.addEventListener('abort', onAbort, { once: true });
  return new ReadableStream<Part>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          heard.hear(value);
          return controller.enqueue(passed(value));
        }
        await end(false);
        controller.close();
      } catch (error) {
        await end(true);
        controller.error(error);
      }
    },
    async cancel(reason) {
      try {
        await reader.cancel(reason);
      } finally {
        await end(true);
      }
    },
  });
}

class Heard {
  readonly #texts = new Map<string, string>();
  #isFinished = false;
  #isUnfinished = false;

  hear(part: Part): void {
    if (part.type === 'text-delta') this.#texts.set(part.id, (this.#texts.get(part.id) ?? '') + part.delta);
    if (part.type !== 'finish') return;
    this.#isFinished = true;
    this.#isUnfinished = part.finishReason.unified === 'tool-calls';
  }

  /** A stream without a finish part was interrupted, even if it closes normally. */
  spoken(isInterrupted: boolean): Spoken {
    return {
      text: [...this.#texts.values()].join('\n'),
      isInterrupted: isInterrupted || !this.#isFinished,
      isUnfinished: this.#isUnfinished,
    };
  }
}
