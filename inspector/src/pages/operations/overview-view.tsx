/** At a glance: is it well, how much is there, how does it grow. */

import type { VNode } from 'preact';
import { isAdmin } from '../../../../src/domain/principal.ts';
import { me } from '../../api/me.ts';
import { useAnswer, type Answer } from '../../api/use-answer.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { Choice } from '../../components/fields.tsx';
import { Time } from '../../components/time.tsx';
import { AdminPanel } from './admin-panel.tsx';
import type { Stats } from './answers.ts';
import { CountsTable } from './counts-table.tsx';
import { countText } from './figures.ts';
import { GrowthChart } from './growth-chart.tsx';
import { HealthPanel } from './health-panel.tsx';
import { SizesList } from './sizes-list.tsx';
import { useRefresh } from '../../api/use-refresh.ts';

const REFRESH_MS = 20_000;
const WHOSE = ['tenant', 'mine'] as const;
const DAYS = ['30', '90', '365'] as const;
const NEEDS = 'Counting the memory of everybody';

export function OverviewView(): VNode {
  const known = me.value;
  const of = WHOSE.find((one) => one === queryOf('of')) ?? (known && isAdmin(known) ? 'tenant' : 'mine');
  const days = DAYS.find((one) => one === queryOf('days')) ?? '30';
  const answer = useAnswer(known === undefined ? undefined : `stats ${of} ${days}`, (memory) =>
    memory.stats({ of, days: Number(days) }),
  );
  useRefresh([answer], REFRESH_MS);
  // Before it is known who asks nothing is asked; it looks as if it were.
  const shown: Answer<Stats> = known === undefined ? { ...answer, isLoading: true } : answer;
  return (
    <>
      <div class="toolbar">
        <Choice label="Whose memory" options={WHOSE} chosen={of} onChange={(chosen) => setQuery({ of: chosen })} />
        <Choice label="Days" options={DAYS} chosen={days} onChange={(chosen) => setQuery({ days: chosen })} />
        <span class="quiet">days</span>
      </div>
      <HealthPanel />
      <AdminPanel
        title={of === 'mine' ? 'Memories that you see' : 'Memories of the tenant'}
        needs={NEEDS}
        answer={shown}
        rows={7}
        aside={({ total, countedAt }) => (
          <>
            <b class="numeric">{countText(total)}</b>
            <span class="quiet">
              counted <Time at={countedAt} />
            </span>
          </>
        )}
      >
        {({ groups }) => <CountsTable groups={groups} isLinked={of === 'mine'} days={days} />}
      </AdminPanel>
      {shown.error === undefined && (
        <>
          <AdminPanel
            title={`Growth in ${days} days`}
            needs={NEEDS}
            answer={shown}
            rows={6}
            aside={({ growth }) => <GrowthFigures growth={growth} />}
          >
            {({ growth }) => <GrowthChart growth={growth} />}
          </AdminPanel>
          <AdminPanel
            title={of === 'mine' ? 'What belongs to you' : 'What the database holds'}
            needs={NEEDS}
            answer={shown}
            rows={6}
          >
            {(stats) => <SizesList stats={stats} />}
          </AdminPanel>
        </>
      )}
    </>
  );
}

function GrowthFigures({ growth }: Pick<Stats, 'growth'>): VNode {
  const created = growth.reduce((sum, day) => sum + day.created, 0);
  const deleted = growth.reduce((sum, day) => sum + day.deleted, 0);
  return (
    <span class="growth-legend numeric">
      <span class="legend-created">{countText(created)} created</span>
      <span class="legend-deleted">{countText(deleted)} deleted</span>
    </span>
  );
}
