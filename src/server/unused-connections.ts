/** Connections without a request yet. Node counts them as busy, and clients open some in advance. */

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export class UnusedConnections {
  readonly #unused = new Set<Socket>();
  #seen = new Set<Socket>();

  constructor(server: Server, isTls: boolean) {
    // Over TLS a request knows the TLS socket, not the underlying connection.
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#unused.add(socket);
      socket.once('close', () => this.#unused.delete(socket));
    });
    server.on('request', ({ socket }) => this.#unused.delete(socket));
  }

  /** Closes those that were already here the last time: others may be about to send a request. */
  sweep(): void {
    for (const socket of this.#seen) if (this.#unused.has(socket)) socket.destroy();
    this.#seen = new Set(this.#unused);
  }
}
