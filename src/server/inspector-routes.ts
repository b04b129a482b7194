/** The inspector: a page of static files. It is public; it gets its data from the service, as the signed-in user. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LaminaError } from '../domain/error.ts';
import { inspectorFiles, type InspectorFile } from './inspector-files.ts';

/** Nothing external, and nothing inline. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Their names change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

const PAGE = '/index.html';

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Lamina</title></head>
<body>
<h1>Lamina is running</h1>
<p>The inspector has not been built. In a checkout run <code>node scripts/build-inspector.ts</code>, then load this page again.</p>
<p>The reference of the service is at <a href="/docs">/docs</a>.</p>
</body>
</html>
`;

/** `folder` is where the build puts it. */
export function addInspectorRoutes(app: FastifyInstance, folder: string): void {
  const files = inspectorFiles(folder);
  const sendPage = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const page = files()?.get(PAGE);
    if (page !== undefined) return send(request, reply, page, ASK_AGAIN);
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
      .send(NOT_BUILT);
  };
  const sendFile = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.url.split('?', 1)[0] ?? '';
    const file = files()?.get(path);
    if (file === undefined) {
      throw new LaminaError(
        'NOT_FOUND',
        'The inspector has no such file. Load its page again: it may have been built anew.',
      );
    }
    return send(request, reply, file, path.startsWith('/assets/') ? FOR_EVER : ASK_AGAIN);
  };
  app.get('/', sendPage);
  // The page itself knows what to show at each of these.
  app.get('/inspect', sendPage);
  app.get('/inspect/*', sendPage);
  app.get('/assets/*', sendFile);
  app.get('/favicon.svg', sendFile);
}

function send(request: FastifyRequest, reply: FastifyReply, file: InspectorFile, caching: string): FastifyReply {
  const accepted = acceptedIn(request.headers['accept-encoding']);
  const encoded = file.encoded.find(({ encoding }) => accepted.has(encoding));
  reply
    .type(file.type)
    .header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .header('Cache-Control', caching)
    .header('Vary', 'Accept-Encoding');
  if (encoded !== undefined) reply.header('Content-Encoding', encoded.encoding);
  return reply.send(encoded?.body ?? file.body);
}

function acceptedIn(header: string | string[] | undefined): ReadonlySet<string> {
  const offers = String(header ?? '')
    .split(',')
    .map((offer) => offer.trim().toLowerCase())
    .filter((offer) => !/;\s*q=0(\.0*)?$/.test(offer));
  return new Set(offers.map((offer) => offer.split(';', 1)[0]?.trim() ?? ''));
}
