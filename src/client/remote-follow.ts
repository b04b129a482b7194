/** Follows operations on a Lamina service, and reconnects from the last position whenever the connection breaks. */

import { asLaminaError, LaminaError } from '../domain/error.ts';
import { pause } from '../domain/pause.ts';
import { askedDelay, retryDelay, type RetryPolicy } from '../domain/retry.ts';
import type { StreamPage } from '../domain/stream.ts';
import { EVENT_STREAM, ServerEventParser, type ServerEvent } from '../operations/server-event.ts';
import type { Follow, StreamName } from '../operations/table.ts';
import { wireOf, type Wire } from '../operations/wire.ts';
import { errorOf, foreignError } from './answer-error.ts';
import { answerOf, type Open, type Request } from './exchange.ts';
import { encode } from './remote-invoke.ts';

/** The service sends something every 15 seconds: after this much silence the connection is dead. */
const MAX_SILENCE_MS = 45_000;

/**
 * Before the first answer it gives up like any other call. After that it continues, whatever happens to the service and the
 * network, until the signal aborts or the service refuses for good.
 */
export function followOver(open: Open, headers: Request['headers'], retry: RetryPolicy): Follow {
  const follow = async function* (
    name: StreamName,
    input: unknown,
    signal: AbortSignal = new AbortController().signal,
  ): AsyncGenerator<StreamPage<object>, void> {
    const request = encode(name, input, headers);
    let position: string | undefined;
    for (let failures = 0; !signal.aborted;) {
      let asked = 0;
      try {
        for await (const page of listen(open, name, resuming(request, position), signal)) {
          failures = 0;
          ({ position } = page);
          yield page;
        }
      } catch (thrown) {
        const error = asLaminaError(thrown, name);
        const canPass = error.retryable && retry.retryableCodes.includes(error.code);
        const isTried = position === undefined && failures + 1 >= retry.maxAttempts;
        if (!signal.aborted && (!canPass || isTried)) throw error;
        asked = askedDelay(error);
      }
      failures += 1;
      await pause(Math.max(asked, retryDelay(retry, failures, Math.random)), signal);
    }
  };
  return follow as Follow;
}

function resuming(request: Request, position: string | undefined): Request {
  return position === undefined ? request : { ...request, headers: { ...request.headers, 'Last-Event-ID': position } };
}

/** One connection, until it ends. Throws `UNAVAILABLE` if it breaks, or the service's refusal. */
async function* listen(
  open: Open,
  name: StreamName,
  request: Request,
  signal: AbortSignal,
): AsyncGenerator<StreamPage<object>, void> {
  const wire = wireOf(name);
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal.addEventListener('abort', end);
  const silence = new Silence(end);
  try {
    const response = await open(request, stop.signal);
    const reader = await readerOf(response, name, wire);
    const parser = new ServerEventParser();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      silence.broken();
      const page = pageOf(parser.push(decoder.decode(value, { stream: true })), wire);
      if (page) yield page;
    }
  } catch (cause) {
    if (cause instanceof LaminaError) throw cause;
    throw new LaminaError('UNAVAILABLE', 'The stream of the service broke off.', { cause });
  } finally {
    silence.dispose();
    signal.removeEventListener('abort', end);
    end();
  }
}

async function readerOf(
  response: Response,
  name: StreamName,
  wire: Wire,
): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const isStream = response.headers.get('Content-Type')?.startsWith(EVENT_STREAM) ?? false;
  if (response.ok && isStream && response.body) return response.body.getReader();
  const answer = await answerOf(response);
  throw response.ok ? foreignError(answer, name) : errorOf(answer, name, (path) => wire.decodePath(path));
}

/** What a chunk of the stream brought; undefined if it was only a heartbeat. */
function pageOf(events: readonly ServerEvent[], wire: Wire): StreamPage<object> | undefined {
  const position = events.findLast(({ id }) => id !== undefined)?.id;
  if (position === undefined) return undefined;
  const items = events.flatMap(({ data }) =>
    data === undefined ? [] : [wire.output.decode(JSON.parse(data)) as object],
  );
  return { items, position };
}

/** Calls back after too long a silence. */
class Silence {
  readonly #tooLong: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tooLong: () => void) {
    this.#tooLong = tooLong;
    this.broken();
  }

  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#tooLong, MAX_SILENCE_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
