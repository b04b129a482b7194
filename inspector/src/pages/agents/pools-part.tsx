/** Pools: what several agents share, who may, and what is in them as it changes. */

import type { VNode } from 'preact';
import type { Pool } from '../../../../src/domain/pool.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LiveMark } from '../../components/live-mark.tsx';
import { AnswerPanel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { AccessList } from './access-list.tsx';
import { agentsHref } from './agents-href.ts';
import { ListAndOne } from './list-and-one.tsx';
import { usePoolChanges } from './live.ts';
import { useListed } from './use-listed.ts';
import { ValuesTable } from './values-table.tsx';

const PAGE_SIZE = 100;

export function PoolsPart({ id }: { readonly id: string | undefined }): VNode {
  const answer = useListed('pools', async (memory, page) => {
    const { pools, nextCursor } = await memory.pools.list(page);
    return { items: pools, nextCursor };
  });
  return (
    <ListAndOne
      title="Pools"
      answer={answer}
      id={id}
      idOf={({ poolId }) => poolId}
      hrefOf={(poolId) => agentsHref('pools', poolId)}
      row={(pool) => <PoolRow pool={pool} />}
      one={(poolId) => <PoolView poolId={poolId} />}
      empty={<NoPools />}
    />
  );
}

function sizeText(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`;
}

function PoolRow({ pool }: { readonly pool: Pool }): VNode {
  return (
    <>
      <span class="agents-name">{pool.name ?? pool.poolId}</span>
      <span class="meta-row">
        <span>{pool.type.replace('_', ' ')}</span>
        {pool.scopeId !== undefined && (
          <span>
            {pool.scope} {pool.scopeId}
          </span>
        )}
        <Time at={pool.updatedAt} />
      </span>
    </>
  );
}

function PoolView({ poolId }: { readonly poolId: string }): VNode {
  const about = useAnswer(`pool ${poolId}`, async (memory) => {
    const [pool, statistics] = await Promise.all([
      memory.pools.get({ poolId }),
      memory.pools.statistics({ poolId }).catch(() => undefined),
    ]);
    return { pool, statistics };
  });
  const values = useAnswer(`pool values ${poolId}`, (memory) => memory.pools.readAll({ poolId, limit: PAGE_SIZE }));
  usePoolChanges(poolId, () => {
    values.reload();
    about.reload();
  });
  if (about.data?.pool === null) {
    return (
      <EmptyState title="There is no such pool">
        <p>It was deleted, has ended, or is not shared with you.</p>
      </EmptyState>
    );
  }
  return (
    <div class="agents-detail">
      <header class="agents-head">
        <h2>{about.data?.pool?.name ?? poolId}</h2>
        <p class="meta-row">
          <code>{poolId}</code>
          {about.data?.statistics !== undefined && (
            <span class="numeric">
              {about.data.statistics.entryCount} values, {sizeText(about.data.statistics.bytes)}, read{' '}
              {about.data.statistics.accesses} times
            </span>
          )}
          {about.data?.pool?.expiresAt !== undefined && (
            <span>
              ends <Time at={about.data.pool.expiresAt} />
            </span>
          )}
        </p>
      </header>
      <AnswerPanel title="Values" answer={values} aside={() => <LiveMark />}>
        {({ values: items, nextCursor }) =>
          items.length === 0 ? (
            <EmptyState
              title="Nothing in it yet"
              command={curlCommand(
                `/v1/memory/pools/${encodeURIComponent(poolId)}/data/venue.city`,
                { value: 'Oslo' },
                'PUT',
              )}
            >
              <p>Values appear here as they are written.</p>
            </EmptyState>
          ) : (
            <>
              <ValuesTable values={items} label="Values of the pool" />
              {nextCursor !== null && <p class="quiet">The first {items.length} keys are shown.</p>}
            </>
          )
        }
      </AnswerPanel>
      <AnswerPanel title="Access list" answer={about}>
        {({ pool }) => pool && <AccessList {...pool} />}
      </AnswerPanel>
    </div>
  );
}

function NoPools(): VNode {
  const body = { pool_id: 'launch-team', name: 'What the launch team knows', access: { write: ['planner'] } };
  return (
    <EmptyState title="No pools yet" command={curlCommand('/v1/memory/pools', body)}>
      <p>A pool holds values that several agents share, with a list of who may read and write them.</p>
    </EmptyState>
  );
}
