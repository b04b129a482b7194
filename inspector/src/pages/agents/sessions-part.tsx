/** Sessions on a timeline, each with the plans in it; and one of them in full. */

import type { VNode } from 'preact';
import type { Plan } from '../../../../src/domain/plan.ts';
import type { Session } from '../../../../src/domain/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Choice } from '../../components/fields.tsx';
import { Panel } from '../../components/panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { dayOf, exactTime, Time } from '../../components/time.tsx';
import { agentsHref } from './agents-href.ts';
import { SessionView } from './session-view.tsx';
import { barOf, periodOf, plansBySession, shownPeriod, SPANS, ticksOf, type Period } from './timeline.ts';
import { useListed } from './use-listed.ts';

const PAGE_SIZE = 100;
const REFRESH_MS = 5000;
const TICKS = 5;

export function SessionsPart({ id }: { readonly id: string | undefined }): VNode {
  const listed = useListed('sessions', async (memory, page) => {
    const { sessions, nextCursor } = await memory.sessions.list(page);
    return { items: sessions, nextCursor };
  });
  const plans = useAnswer('plans in sessions', (memory) => memory.plans.list({ limit: PAGE_SIZE }));
  useRefresh([listed, plans], REFRESH_MS);
  const { data, error, reload, hasMore, more } = listed;
  const reloadBoth = (): void => {
    reload();
    plans.reload();
  };
  if (error !== undefined) return <ErrorPanel error={error} onRetry={reloadBoth} />;
  if (data === undefined) return <Skeleton rows={3} kind="card" />;
  return (
    <div class="agents-detail">
      {data.length === 0 ? <NoSessions /> : <Timeline sessions={data} plans={plans.data?.plans ?? []} chosen={id} />}
      {hasMore && (
        <button type="button" class="button" onClick={more}>
          Earlier sessions
        </button>
      )}
      {id !== undefined && <SessionView sessionId={id} key={id} />}
    </div>
  );
}

interface TimelineProps {
  readonly sessions: readonly Session[];
  readonly plans: readonly Plan[];
  readonly chosen: string | undefined;
}

function Timeline({ sessions, plans, chosen }: TimelineProps): VNode {
  const span = SPANS.find((one) => one === queryOf('span')) ?? 'all';
  const shown = shownPeriod(sessions, span, Date.now());
  const inside = sessions.filter((session) => barOf(periodOf(session), shown) !== undefined);
  const groups = plansBySession(plans);
  return (
    <Panel
      title="Sessions over time"
      aside={<Choice label="Time shown" options={SPANS} chosen={span} onChange={(next) => setQuery({ span: next })} />}
    >
      {inside.length === 0 && <p class="quiet">No session in this time. Choose a longer one.</p>}
      <div class="timeline">
        <div class="timeline-ticks" aria-hidden="true">
          {ticksOf(shown, TICKS).map((at) => (
            <span key={at}>{tickText(at, shown)}</span>
          ))}
        </div>
        <ul aria-label="Sessions, last used first">
          {inside.map((session) => (
            <li key={session.sessionId}>
              <Row
                session={session}
                plans={groups.get(session.sessionId) ?? []}
                shown={shown}
                isChosen={session.sessionId === chosen}
              />
            </li>
          ))}
        </ul>
      </div>
      <ul class="budget-legend timeline-legend" aria-label="Legend">
        <li>
          <i class="timeline-key timeline-open" /> open session
        </li>
        <li>
          <i class="timeline-key timeline-ended" /> ended session
        </li>
        <li>
          <i class="timeline-key timeline-plan" /> plan in it
        </li>
      </ul>
    </Panel>
  );
}

const TWO_DAYS_MS = 172_800_000;
const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

function tickText(at: number, { from, to }: Period): string {
  return to - from < TWO_DAYS_MS ? hours.format(at) : dayOf(at);
}

interface RowProps {
  readonly session: Session;
  readonly plans: readonly Plan[];
  readonly shown: Period;
  readonly isChosen: boolean;
}

function Row({ session, plans, shown, isChosen }: RowProps): VNode {
  const { sessionId, name, agentId, endedAt, createdAt, lastInteraction } = session;
  const bar = barOf(periodOf(session), shown);
  const title = `${exactTime(createdAt)} to ${exactTime(endedAt ?? lastInteraction)}`;
  return (
    <a
      class="agents-link timeline-row"
      href={agentsHref('sessions', sessionId) + window.location.search}
      {...(isChosen && { 'aria-current': 'true' as const })}
    >
      <span class="timeline-name">
        <span class="agents-name">{name ?? sessionId}</span>
        <span class="meta-row">
          {agentId !== undefined && <span>{agentId}</span>}
          <span>{endedAt === undefined ? 'open' : 'ended'}</span>
          <Time at={endedAt ?? lastInteraction} />
          {plans.length > 0 && <span class="numeric">{plans.length === 1 ? '1 plan' : `${plans.length} plans`}</span>}
        </span>
      </span>
      <span class="timeline-track" title={title}>
        {bar !== undefined && (
          <i
            class={endedAt === undefined ? 'timeline-bar timeline-open' : 'timeline-bar timeline-ended'}
            style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
          />
        )}
        {plans.map((plan) => (
          <PlanMark plan={plan} shown={shown} key={plan.planId} />
        ))}
      </span>
    </a>
  );
}

function PlanMark({ plan, shown }: { readonly plan: Plan; readonly shown: Period }): VNode | null {
  const bar = barOf({ from: Date.parse(plan.createdAt), to: Date.parse(plan.updatedAt) }, shown);
  if (bar === undefined) return null;
  return (
    <i
      class="timeline-mark timeline-plan"
      title={`${plan.planId}: ${plan.status}`}
      style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
    />
  );
}

function NoSessions(): VNode {
  const body = { session_id: 'sess-1', agent_id: 'scribe', name: 'First talk' };
  return (
    <EmptyState title="No sessions yet" command={curlCommand('/v1/memory/sessions', body)}>
      <p>A session is a conversation, which may hold several plans. It appears here on a line of time.</p>
    </EmptyState>
  );
}
