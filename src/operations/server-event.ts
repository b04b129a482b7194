/** Items of a stream as server-sent events, and back. */

export const EVENT_STREAM = 'text/event-stream';

/** A server event as a client hears it. */
export interface ServerEvent {
  /** The position after it; undefined if it names none. */
  readonly id: string | undefined;
  /** Undefined if it only reports the position of the stream. */
  readonly data: string | undefined;
}

/** An item in wire form. Positions and types hold no line breaks, and JSON holds none either. */
export function encodeServerEvent(item: unknown): string {
  const { id, type } = item as { readonly id: string; readonly type: string };
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(item)}\n\n`;
}

/** Only the position of the stream: a client that reconnects resumes after it. */
export function encodePosition(position: string): string {
  return `id: ${position}\n\n`;
}

/** A heartbeat. */
export const HEARTBEAT = ':\n\n';

/** Longer than any event of Lamina: guards against an endless one. */
const MAX_LENGTH = 1024 * 1024;

/** Parses a stream incrementally, from chunks cut anywhere. Throws `RangeError` for an endless event. */
export class ServerEventParser {
  #rest = '';
  #id: string | undefined;
  #data: string[] = [];

  /** The events that this chunk completes. */
  push(piece: string): ServerEvent[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_LENGTH) throw new RangeError('A server event is too long.');
    return lines.flatMap((line) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  #line(line: string): ServerEvent[] {
    if (line === '') return this.#complete();
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id') this.#id = value;
    if (name === 'data') this.#data.push(value);
    return [];
  }

  #complete(): ServerEvent[] {
    const event = { id: this.#id, data: this.#data.length === 0 ? undefined : this.#data.join('\n') };
    this.#id = undefined;
    this.#data = [];
    return event.id === undefined && event.data === undefined ? [] : [event];
  }
}
