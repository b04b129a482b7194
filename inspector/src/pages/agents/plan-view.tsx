/** One plan: where its state machine stands, its tasks, and its working memory as it changes. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { PlanContext } from '../../../../src/domain/plan-context.ts';
import { isFinished, type Plan } from '../../../../src/domain/plan.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { ROOT } from '../../app/location.ts';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { AnswerPanel, Panel } from '../../components/panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { agentsHref } from './agents-href.ts';
import { lifeOf, machineOf } from './state-machine.ts';
import { StateMachineView } from './state-machine-view.tsx';
import { TaskTreeView } from './task-tree-view.tsx';
import { ValuesTable } from './values-table.tsx';
import { WorkStatus } from './work-status.tsx';

const REFRESH_MS = 3000;
const LIVE_MS = 1000;
const PAGE_SIZE = 100;

interface PlanViewProps {
  readonly planId: string;
  /** Those of the list, among which are its parts. */
  readonly plans: readonly Plan[];
}

export function PlanView({ planId, plans }: PlanViewProps): VNode {
  const answer = useAnswer(`plan ${planId}`, async (memory) => {
    const [plan, context] = await Promise.all([memory.plans.get({ planId }), memory.planContexts.get({ planId })]);
    return { plan, context };
  });
  useRefresh([answer], REFRESH_MS, answer.data?.plan != null && !isFinished(answer.data.plan.status));
  const { data, error, reload } = answer;
  if (error !== undefined) return <ErrorPanel error={error} onRetry={reload} />;
  if (data === undefined) return <Skeleton rows={3} kind="card" />;
  const { plan, context } = data;
  if (plan === null) {
    return (
      <EmptyState title="There is no such plan">
        <p>It was deleted, or it is somebody else’s. Its working memory can be read by everyone who can name it.</p>
      </EmptyState>
    );
  }
  return (
    <div class="agents-detail">
      <PlanHead plan={plan} parts={plans.filter(({ parentPlanId }) => parentPlanId === planId)} />
      <Machine plan={plan} context={context} />
      <Tasks planId={planId} isLive={!isFinished(plan.status)} />
      <Working planId={planId} />
      <Goal plan={plan} />
    </div>
  );
}

function PlanHead({ plan, parts }: { readonly plan: Plan; readonly parts: readonly Plan[] }): VNode {
  const { sessionId, parentPlanId } = plan;
  return (
    <header class="agents-head">
      <h2>{plan.planId}</h2>
      <div class="meta-row">
        <WorkStatus status={plan.status} />
        <span>
          {plan.goalEvent}
          {plan.responseEvent !== undefined && ` → ${plan.responseEvent}`}
        </span>
        <span>
          begun <Time at={plan.createdAt} />, changed <Time at={plan.updatedAt} />
        </span>
        {sessionId !== undefined && (
          <span>
            in session <a href={agentsHref('sessions', sessionId)}>{sessionId}</a>
          </span>
        )}
        {parentPlanId !== undefined && (
          <span>
            part of <a href={agentsHref('plans', parentPlanId)}>{parentPlanId}</a>
          </span>
        )}
        {parts.map(({ planId, status }) => (
          <span key={planId}>
            with its part <a href={agentsHref('plans', planId)}>{planId}</a> ({status})
          </span>
        ))}
      </div>
    </header>
  );
}

function Machine({ plan, context }: { readonly plan: Plan; readonly context: PlanContext | null }): VNode {
  const own = context === null ? undefined : machineOf(context.state, context.currentState);
  const now = own === undefined ? plan.status : (context?.currentState ?? 'not told');
  return (
    <Panel title="State machine" aside={<span class="quiet">now: {now}</span>}>
      {own === undefined && (
        <p class="quiet">The planner has stored no state machine of its own, so this is the life of every plan.</p>
      )}
      <StateMachineView machine={own ?? lifeOf(plan)} />
    </Panel>
  );
}

function Tasks({ planId, isLive }: { readonly planId: string; readonly isLive: boolean }): VNode {
  const answer = useAnswer(`tasks ${planId}`, (memory) => memory.tasks.list({ planId, limit: PAGE_SIZE }));
  useRefresh([answer], REFRESH_MS, isLive);
  return (
    <AnswerPanel
      title="Tasks"
      answer={answer}
      aside={({ count, nextCursor }) => (
        <span class="quiet numeric">{nextCursor === null ? count : `the newest ${count}`}</span>
      )}
    >
      {({ tasks }) =>
        tasks.length === 0 ? (
          <p class="quiet">No task of this plan is under way. A task that has come to its end leaves nothing behind.</p>
        ) : (
          <TaskTreeView tasks={tasks} />
        )
      }
    </AnswerPanel>
  );
}

function Working({ planId }: { readonly planId: string }): VNode {
  const [isLive, setLive] = useState(true);
  const answer = useAnswer(`working ${planId}`, (memory) => memory.working.list({ planId, limit: PAGE_SIZE }));
  useRefresh([answer], LIVE_MS, isLive);
  return (
    <AnswerPanel
      title="Working memory"
      answer={answer}
      aside={() => (
        <>
          <a class="quiet" href={`${ROOT}/turn?plan=${encodeURIComponent(planId)}`}>
            In a turn
          </a>
          <button type="button" class="button button-small" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
            <i class="live-dot" /> {isLive ? 'Live' : 'Paused'}
          </button>
        </>
      )}
    >
      {({ items, nextCursor }) =>
        items.length === 0 ? (
          <EmptyState
            title="Nothing in working memory"
            command={curlCommand(`/v1/memory/working/${encodeURIComponent(planId)}/step`, { value: 1 }, 'PUT')}
          >
            <p>Values of the plan appear here as they are written.</p>
          </EmptyState>
        ) : (
          <>
            <ValuesTable values={items} label="Working memory" />
            {nextCursor !== null && <p class="quiet">The first {items.length} keys are shown.</p>}
          </>
        )
      }
    </AnswerPanel>
  );
}

function Goal({ plan: { goalData, state } }: { readonly plan: Plan }): VNode {
  return (
    <Panel title="Goal and state">
      <div class="agents-two">
        <JsonView label="Goal" value={goalData} />
        <JsonView label="State" value={state} />
      </div>
    </Panel>
  );
}
