/** The URL and headers for calling an external service. What can never work is refused before anything is sent. Pure. */

import { LaminaError } from './error.ts';

/** `path` below the base URL. An error begins with `what`, such as "The address of the reranker". Throws `CONFIGURATION_ERROR`. */
export function endpointUrl(baseUrl: string, path: string, what: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new LaminaError('CONFIGURATION_ERROR', `${what} must be an http:// or https:// URL.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new LaminaError('CONFIGURATION_ERROR', `${what} must not hold credentials; set an API key.`);
  }
  url.pathname = url.pathname.replace(/\/+$/, '') + path;
  return url;
}

/**
 * Headers of a request that sends and receives JSON. An error says "The API key" and `whose`. Throws `CONFIGURATION_ERROR`.
 */
export function endpointHeaders(apiKey: string | undefined, whose: string): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (apiKey === undefined) return headers;
  // Checked here because fetch would quote the key in its own complaint.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new LaminaError('CONFIGURATION_ERROR', `The API key ${whose} holds characters that no key can have.`);
  }
  return { ...headers, authorization: `Bearer ${apiKey}` };
}
