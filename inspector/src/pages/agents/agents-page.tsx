/** Agents at work: plans with their tasks and working memory, sessions, pools and contexts. */

import type { VNode } from 'preact';
import { ROOT } from '../../app/location.ts';
import type { PageProps } from '../../app/pages.ts';
import { useKeys } from '../../app/keyboard.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { ContextsPart } from './contexts-part.tsx';
import { PlansPart } from './plans-part.tsx';
import { PoolsPart } from './pools-part.tsx';
import { SessionsPart } from './sessions-part.tsx';

const PARTS = {
  plans: { title: 'Plans', Part: PlansPart },
  sessions: { title: 'Sessions', Part: SessionsPart },
  pools: { title: 'Pools', Part: PoolsPart },
  contexts: { title: 'Contexts', Part: ContextsPart },
} as const;

type PartName = keyof typeof PARTS;

function isPart(name: string): name is PartName {
  return Object.hasOwn(PARTS, name);
}

export function Page({ rest: [name = 'plans', id] }: PageProps): VNode {
  useKeys('Agents', [
    { keys: ['j', 'ArrowDown'], help: 'Next in the list', run: () => moveFocus('.agents-link', 1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous in the list', run: () => moveFocus('.agents-link', -1) },
  ]);
  const chosen = isPart(name) ? name : 'plans';
  const { Part } = PARTS[chosen];
  return (
    <div class="page agents-page">
      <header class="page-header">
        <h1>Agents at work</h1>
        <nav aria-label="Agents" class="part-links">
          {(Object.keys(PARTS) as PartName[]).map((part) => (
            <a key={part} href={`${ROOT}/agents/${part}`} {...(part === chosen && { 'aria-current': 'page' as const })}>
              {PARTS[part].title}
            </a>
          ))}
        </nav>
      </header>
      <Part id={id} key={chosen} />
    </div>
  );
}
