/** The history of a memory: each version with what it changed. */

import type { VNode } from 'preact';
import type { Entry } from '../../../../src/domain/entry.ts';
import { DiffText } from '../../components/diff-text.tsx';
import { LongText } from '../../components/long-text.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import type { Versions } from './entry-view.tsx';

/** Fields whose changes are told, besides the content. */
const TOLD = [
  'tags',
  'importance',
  'confidence',
  'sensitivity',
  'visibility',
  'status',
  'metadata',
  'expiresAt',
  'validTo',
] as const;

export function EntryVersions({ versions }: { readonly versions: Versions }): VNode {
  return (
    <Panel title="Versions" aside={<span class="quiet numeric">{versions.length}</span>}>
      <ol class="versions">
        {versions.map(({ memory }, at) => (
          <li key={memory.version}>
            <div class="meta-row">
              <b class="numeric">v{memory.version}</b>
              <Time at={memory.updatedAt} />
              {fieldChanges(versions[at + 1]?.memory, memory).map((text) => (
                <span class="tag" key={text}>
                  {text}
                </span>
              ))}
            </div>
            <Content before={versions[at + 1]?.memory} after={memory} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Content({ before, after }: { readonly before: Entry | undefined; readonly after: Entry }): VNode {
  if (before === undefined) return <LongText text={after.content} />;
  if (before.content === after.content) return <p class="quiet">The text stayed the same.</p>;
  return <DiffText before={before.content} after={after.content} />;
}

function fieldChanges(before: Entry | undefined, after: Entry): string[] {
  if (before === undefined) return ['created'];
  return TOLD.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).map(
    (name) => `${name}: ${shown(before[name])} → ${shown(after[name])}`,
  );
}

function shown(value: unknown): string {
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
