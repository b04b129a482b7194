/** Whether what is stored is what was written: each memory against its hash, but for those that are sealed. */

import { contentHash } from '../../core/remember/content.ts';
import type { Checkup } from '../../ports/checkup.ts';
import { keyIdOf } from '../../sealing/sealed-text.ts';
import { ok, problem, type Finding } from './check.ts';

const PAGE = 500;

/** Of one tenant that are named. */
const MAX_NAMED = 3;

export async function contentFindings(checkup: Checkup, signal: AbortSignal): Promise<Finding[]> {
  if ((await checkup.schema()).some(({ where }) => where === undefined)) return [];
  const findings: Finding[] = [];
  let read = 0;
  for (const tenantId of await checkup.tenants()) {
    const altered: string[] = [];
    for await (const page of pagesOf(checkup, tenantId)) {
      signal.throwIfAborted();
      read += page.length;
      const readable = page.filter(({ content }) => keyIdOf(content) === undefined);
      altered.push(...readable.filter((each) => contentHash(each.content) !== each.contentHash).map(({ id }) => id));
    }
    if (altered.length > 0) findings.push(alteredFinding(tenantId, altered));
  }
  return findings.length > 0 || read === 0 ? findings : [ok('Every memory fits its hash.')];
}

async function* pagesOf(checkup: Checkup, tenantId: string): AsyncGenerator<Awaited<ReturnType<Checkup['contents']>>> {
  let after = 0;
  for (;;) {
    const page = await checkup.contents(tenantId, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.seq;
  }
}

function alteredFinding(tenantId: string, ids: readonly string[]): Finding {
  const named = ids.slice(0, MAX_NAMED).join(', ');
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const told = `Memories of tenant ${tenantId} were altered beside Lamina: ${named}${more}.`;
  return problem(told, 'Compare with lamina history ID; restore a backup, or write the right text with an update.');
}
