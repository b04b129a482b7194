/** A bundle as a file, or as what is piped in and out; packed with gzip or not. */

import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { LaminaError } from '../../domain/error.ts';
import type { Output } from '../terminal/terminal.ts';

/** Readable by its owner only: it is everything of a tenant. */
const MODE = 0o600;

const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** How it is written. */
interface Writing {
  readonly gzip: boolean;
  readonly signal: AbortSignal;
}

/**
 * Whole or not at all: written beside it, flushed, and put in its place. Throws `VALIDATION_FAILED` where something is there
 * already and is not to be overwritten, `NOT_FOUND`, or the signal's reason.
 */
export async function writeFileWhole(
  file: string,
  text: AsyncIterable<string>,
  { gzip, signal, overwrites }: Writing & { readonly overwrites: boolean },
): Promise<void> {
  if (!overwrites) assertFree(file);
  const partial = `${file}.${randomUUID().slice(0, 8)}.partial`;
  const handle = await open(partial, 'wx', MODE).catch((cause: unknown) => {
    throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be written.`, {
      advice: 'Its folder has to be there, and yours to write: make it first, or name another.',
      cause,
    });
  });
  try {
    const output = handle.createWriteStream({ flush: true });
    if (gzip) await pipeline(Readable.from(text), createGzip(), output, { signal });
    else await pipeline(Readable.from(text), output, { signal });
    if (!overwrites) assertFree(file);
    await rename(partial, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(partial).catch(() => {});
    signal.throwIfAborted();
    throw error;
  }
}

function assertFree(file: string): void {
  if (!existsSync(file)) return;
  throw new LaminaError(
    'VALIDATION_FAILED',
    `There is a file "${file}" already, and it is not overwritten. Name another, or say --force.`,
  );
}

/** To the standard output, no faster than it is taken. */
export async function writeOut(output: Output, text: AsyncIterable<string>, { gzip, signal }: Writing): Promise<void> {
  const sink = output instanceof Writable ? output : sinkOf(output);
  const parts = Readable.from(text);
  try {
    if (gzip) await pipeline(parts, createGzip(), sink, { signal, end: false });
    else await pipeline(parts, sink, { signal, end: false });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function sinkOf(output: Output): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      output.write(chunk.toString());
      done();
    },
  });
}

/** The bytes of a file, unpacked; `read` is told how many were read of it. Throws `NOT_FOUND`. */
export async function* fileChunks(file: string, read?: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(file);
  const told = async function* (): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        yield chunk;
        read?.(stream.bytesRead);
      }
    } catch (cause) {
      throw new LaminaError('NOT_FOUND', `The file "${file}" cannot be read.`, { cause });
    }
  };
  yield* unpacked(told());
}

/** Unpacks what begins like something packed. */
export async function* unpacked(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  const bytes = bytesIn(chunks)[Symbol.asyncIterator]();
  let beginning = Buffer.alloc(0);
  while (beginning.length < GZIP_MAGIC.length) {
    const next = await bytes.next();
    if (next.done === true) break;
    beginning = Buffer.concat([beginning, next.value]);
  }
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    if (beginning.length > 0) yield beginning;
    for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) yield next.value;
  };
  if (GZIP_MAGIC.every((byte, index) => beginning[index] === byte)) yield* gunzipped(whole());
  else yield* whole();
}

async function* bytesIn(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // What goes wrong ends the iteration below.
  void pipeline(Readable.from(chunks), gunzip).catch(() => {});
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof LaminaError) throw error;
    throw new LaminaError('VALIDATION_FAILED', 'The file cannot be unpacked: it is broken. Fetch it again.', {
      details: { damaged: true },
      cause: error,
    });
  }
}
