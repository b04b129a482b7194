/** Plans: a list by status, and one with its state machine, tasks and working memory. */

import type { VNode } from 'preact';
import { PLAN_STATUSES, type Plan } from '../../../../src/domain/plan.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Select } from '../../components/fields.tsx';
import { Time } from '../../components/time.tsx';
import { agentsHref } from './agents-href.ts';
import { ListAndOne } from './list-and-one.tsx';
import { PlanView } from './plan-view.tsx';
import { useListed } from './use-listed.ts';
import { WorkStatus } from './work-status.tsx';

const REFRESH_MS = 5000;

export function PlansPart({ id }: { readonly id: string | undefined }): VNode {
  const given = queryOf('status');
  const status = (['active', ...PLAN_STATUSES] as const).find((one) => one === given);
  const answer = useListed(`plans ${status}`, async (memory, page) => {
    const { plans, nextCursor } = await memory.plans.list({ ...page, ...(status !== undefined && { status }) });
    return { items: plans, nextCursor };
  });
  useRefresh([answer], REFRESH_MS);
  return (
    <ListAndOne
      title="Plans"
      answer={answer}
      id={id}
      idOf={({ planId }) => planId}
      hrefOf={(planId) => agentsHref('plans', planId) + (status === undefined ? '' : `?status=${status}`)}
      row={(plan) => <PlanRow plan={plan} />}
      one={(planId) => <PlanView planId={planId} plans={answer.data ?? []} />}
      head={
        answer.data?.length === 0 && status === undefined ? undefined : (
          <Select
            label="Status"
            options={[['', 'any'], ['active', 'not finished'], ...PLAN_STATUSES]}
            value={given}
            onInput={(value) => setQuery({ status: value })}
          />
        )
      }
      empty={<NoPlans />}
    />
  );
}

function PlanRow({ plan }: { readonly plan: Plan }): VNode {
  return (
    <>
      <span class="agents-name">{plan.planId}</span>
      <span class="meta-row">
        <WorkStatus status={plan.status} /> {plan.goalEvent} <Time at={plan.updatedAt} />
      </span>
    </>
  );
}

function NoPlans(): VNode {
  const body = { plan_id: 'plan-1', goal_event: 'research.goal', goal_data: { topic: 'tea' } };
  return (
    <EmptyState title="No plans yet" command={curlCommand('/v1/memory/plans', body)}>
      <p>A plan is a goal that an agent pursues. Its state machine, its tasks and its working memory are shown here.</p>
    </EmptyState>
  );
}
