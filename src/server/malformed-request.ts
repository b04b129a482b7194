/** Answers requests that Node cannot parse as HTTP; they never become a request, only a socket. */

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import { LaminaError } from '../domain/error.ts';
import { errorBody, retryAfterSeconds } from './http-error.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

function errorOf(code: string | undefined): LaminaError {
  const options = { operation: 'http' };
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new LaminaError('LIMIT_EXCEEDED', 'The URL and headers together are too long.', {
        ...options,
        details: { limit: maxHeaderSize },
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new LaminaError('UNAVAILABLE', 'The request did not arrive in time.', options);
    default:
      return new LaminaError('VALIDATION_FAILED', 'This is not well-formed HTTP.', options);
  }
}

export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure = errorOf(error.code);
  const retryAfter = retryAfterSeconds(failure);
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(failure, requestId));
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-ID: ${requestId}`,
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
