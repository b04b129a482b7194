/** Addresses to which traces are sent. */

export const OTLP_ADDRESS = 'off or an http:// or https:// address; a password goes into OTEL_EXPORTER_OTLP_HEADERS';

export function isOtlpAddress(text: string): boolean {
  if (text === 'off') return true;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
