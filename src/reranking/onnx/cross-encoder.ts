/** A cross-encoder on this machine, from a folder that somebody has put there. It is loaded when it is first needed. */

import { basename } from 'node:path';
import { LaminaError } from '../../domain/error.ts';
import { openProcess, type Channel } from '../../embedding/channel.ts';
import type { Reranker } from '../../ports/reranker.ts';
import type { CrossEncoderReply, CrossEncoderRequest } from './cross-encoder-worker.ts';

export interface CrossEncoderOptions {
  /** Has `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json`, of the kind WordPiece. */
  readonly folder: string;
}

/** Runs in a process of its own, for the reasons for which the embedding model does. */
export class CrossEncoder implements Reranker {
  readonly name: string;
  readonly isOutside = false;
  readonly #folder: string;
  readonly #pending = new Map<number, PromiseWithResolvers<number[]>>();
  #channel: Channel | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor({ folder }: CrossEncoderOptions) {
    this.#folder = folder;
    this.name = basename(folder);
  }

  async rerank(
    query: string,
    texts: readonly string[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<number[]> {
    if (this.#isClosed) throw failure('The local reranker is closed.');
    if (texts.length === 0) return [];
    const id = (this.#lastId += 1);
    const pending = Promise.withResolvers<number[]>();
    this.#pending.set(id, pending);
    const channel = (this.#channel ??= this.#open());
    channel.ref();
    channel.post({ id, query, texts } satisfies CrossEncoderRequest);
    const abandon = (): void => {
      channel.post({ abandoned: id } satisfies CrossEncoderRequest);
      pending.reject(failure('The local reranker did not answer in time.'));
    };
    signal.addEventListener('abort', abandon);
    try {
      if (signal.aborted) abandon();
      return await pending.promise;
    } finally {
      signal.removeEventListener('abort', abandon);
      this.#pending.delete(id);
      if (this.#pending.size === 0) channel.unref();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#reject(failure('The local reranker is closed.'));
    await this.#channel?.stop();
  }

  #open(): Channel {
    const entry = new URL(`./cross-encoder-worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);
    const channel: Channel = openProcess(
      entry,
      { folder: this.#folder },
      {
        onMessage: (message) => this.#take(message as CrossEncoderReply, channel),
        onEnd: (cause) => this.#end(channel, failure('The local reranker has ended unexpectedly.', cause)),
      },
    );
    return channel;
  }

  #take(reply: CrossEncoderReply, channel: Channel): void {
    if ('unavailable' in reply) {
      const problem = `The local reranker cannot be used: ${reply.unavailable}.`;
      this.#end(channel, new LaminaError('CONFIGURATION_ERROR', problem));
      void channel.stop();
    } else if ('problem' in reply) {
      this.#pending.get(reply.id)?.reject(failure(`The local reranker failed on a text: ${reply.problem}.`));
    } else {
      this.#pending.get(reply.id)?.resolve([...reply.scores]);
    }
  }

  /** The next question starts another. */
  #end(channel: Channel, reason: LaminaError): void {
    if (this.#channel !== channel) return;
    this.#channel = undefined;
    this.#reject(reason);
  }

  #reject(reason: LaminaError): void {
    for (const { reject } of this.#pending.values()) reject(reason);
  }
}

function failure(message: string, cause?: unknown): LaminaError {
  return new LaminaError('PROVIDER_ERROR', message, { ...(cause !== undefined && { cause }) });
}
