/** Reads request bodies: strict UTF-8, then strict JSON. */

import type { FastifyInstance } from 'fastify';
import { LaminaError } from '../domain/error.ts';

/** A body that is not UTF-8 text, or not JSON. */
export class UnreadableBody extends LaminaError {
  constructor(message: string, cause: unknown) {
    super('VALIDATION_FAILED', message, { cause });
  }
}

/**
 * Replaces Fastify's own parser. Dangerous keys such as `__proto__` are kept as plain fields here and refused by
 * validation, which can say where they are.
 */
export function useJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body: Buffer, done) => {
    try {
      done(null, body.length === 0 ? undefined : parse(body));
    } catch (error) {
      done(error as LaminaError);
    }
  });
}

function parse(body: Buffer): unknown {
  return parseJson(decodeUtf8(body));
}

/** Keeps no state between two texts; creating one takes longer than decoding most bodies. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch (cause) {
    throw new UnreadableBody('The body is not valid UTF-8.', cause);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    // The engine's own message quotes the text around the mistake, which helps: it is the caller's text.
    const reason = cause instanceof Error ? cause.message : 'malformed';
    throw new UnreadableBody(`The body is not valid JSON: ${reason}.`, cause);
  }
}
