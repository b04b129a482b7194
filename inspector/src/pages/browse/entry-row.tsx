/** One memory in a list. */

import type { VNode } from 'preact';
import type { Entry } from '../../../../src/domain/entry.ts';
import { hrefWith, queryOf } from '../../app/location.ts';
import { KindBadge, SensitivityBadge, StatusBadge, Tag, TrustBadge } from '../../components/badges.tsx';
import { Time } from '../../components/time.tsx';

export function EntryRow({ memory }: { readonly memory: Entry }): VNode {
  const isSelected = queryOf('entry') === memory.id;
  return (
    <a class="entry-row" href={hrefWith({ entry: memory.id })} {...(isSelected && { 'aria-current': 'true' })}>
      <span class="entry-row-text">{memory.content.slice(0, 400)}</span>
      <span class="meta-row entry-row-meta">
        <KindBadge kind={memory.kind} />
        <StatusBadge status={memory.status} />
        <SensitivityBadge sensitivity={memory.sensitivity} />
        <TrustBadge trust={memory.trust} />
        {memory.speaker !== undefined && <span>{memory.speaker}</span>}
        {memory.tags.slice(0, 4).map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
        <Time at={memory.createdAt} />
        {memory.version > 1 && <span class="numeric">v{memory.version}</span>}
        {memory.accessCount > 0 && <span class="numeric">read {memory.accessCount}×</span>}
      </span>
    </a>
  );
}
