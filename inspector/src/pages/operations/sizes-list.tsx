/** Everything that is kept, by what it is. */

import type { VNode } from 'preact';
import { bytesText, countText } from './figures.ts';
import type { Stats } from './answers.ts';

const NAMES: Readonly<Record<keyof Stats['sizes'], string>> = {
  entries: 'memories',
  versions: 'older versions',
  embeddings: 'vectors',
  facts: 'facts',
  events: 'events',
  state: 'state values',
  plans: 'plans',
  planContexts: 'plan contexts',
  taskContexts: 'task contexts',
  sessions: 'sessions',
  pools: 'pools',
  contexts: 'contexts',
  contextSnapshots: 'snapshots',
  contextAccesses: 'context accesses',
  users: 'users',
  apiKeys: 'API keys',
  maintenanceRuns: 'maintenance runs',
  auditEntries: 'audit entries',
};

export function SizesList({ stats: { sizes, spaces, bytes } }: { readonly stats: Stats }): VNode {
  return (
    <>
      <dl class="figures">
        {bytes !== undefined && (
          <div>
            <dt>on disk</dt>
            <dd>{bytesText(bytes)}</dd>
          </div>
        )}
        {(Object.keys(NAMES) as (keyof typeof NAMES)[])
          .filter((name) => sizes[name] !== undefined)
          .map((name) => (
            <div key={name} class={sizes[name] === 0 ? 'is-zero' : ''}>
              <dt>{NAMES[name]}</dt>
              <dd>{countText(sizes[name] ?? 0)}</dd>
            </div>
          ))}
      </dl>
      {spaces?.map(({ model, dimensions, count }) => (
        <p class="quiet" key={`${model} ${dimensions}`}>
          <b class="numeric">{countText(count)}</b> vectors of <code>{model}</code>, {dimensions} dimensions
        </p>
      ))}
    </>
  );
}
