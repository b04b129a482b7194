/** Everything that a service keeps of a tenant, as text: what an administrator can take away. */

import type { Exchange } from './exchange.ts';

interface Page {
  readonly next_cursor?: string | null;
}

/** Without when it was asked for. */
export async function keptText(exchange: Exchange, credential: string): Promise<string> {
  const pages: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, text } = await exchange({
      method: 'GET',
      path: `/v1/memory/admin/export?limit=500${query}`,
      headers: { Authorization: `Bearer ${credential}` },
    });
    if (status !== 200) throw new Error(`The export failed with ${status}: ${text}`);
    pages.push(text.replace(/"exported_at":"[^"]*"/, ''));
    cursor = (JSON.parse(text) as Page).next_cursor ?? null;
  }
  return pages.join('\n');
}
