/** Listens to server-sent events as any client would: with nothing of ours but the format. */

import { connect, type Socket } from 'node:net';

export interface HeardEvent {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly id: string; readonly type: string; readonly memory_id: string; readonly version: number };
}

/** What one connection has heard so far. */
export class Listener {
  readonly events: HeardEvent[] = [];
  /** As it came, with its headers. */
  text = '';
  isOver = false;
  readonly #socket: Socket;
  #wake: () => void = () => {};

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    const { hostname, port, host, pathname, search } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    const lines = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (piece: string) => {
      this.text += piece;
      this.#parse();
      this.#wake();
    });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.isOver = true;
      this.#wake();
    });
  }

  /** The last id that was told, with an event or without one. */
  get lastId(): string | undefined {
    return [...this.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
  }

  /** Resolves when something is so; throws when the connection is over before that. */
  async until(isSo: (listener: this) => boolean): Promise<void> {
    while (!isSo(this)) {
      if (this.isOver) throw new Error(`The stream ended early:\n${this.text}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #parse(): void {
    // Chunks of HTTP may fall anywhere, but this server ends them with an event.
    const blocks = [...this.text.matchAll(/^id: (.+)\nevent: (.+)\ndata: (.+)\n\n/gm)];
    this.events.length = 0;
    for (const [, id = '', event = '', data = ''] of blocks) this.events.push({ id, event, data: JSON.parse(data) });
  }
}
