/** One session: who, when, the plans in it, and where its memories are. */

import type { VNode } from 'preact';
import type { Session } from '../../../../src/domain/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { ROOT } from '../../app/location.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { AnswerPanel } from '../../components/panel.tsx';
import { exactTime, Time } from '../../components/time.tsx';
import { agentsHref } from './agents-href.ts';
import { WorkStatus } from './work-status.tsx';

const PAGE_SIZE = 100;

export function SessionView({ sessionId }: { readonly sessionId: string }): VNode {
  const answer = useAnswer(`session ${sessionId}`, async (memory) => {
    const [session, { plans }] = await Promise.all([
      memory.sessions.get({ sessionId }),
      memory.plans.list({ sessionId, limit: PAGE_SIZE }),
    ]);
    return { session, plans };
  });
  return (
    <AnswerPanel title={`Session ${sessionId}`} answer={answer}>
      {({ session, plans }) =>
        session === null ? (
          <EmptyState title="There is no such session">
            <p>It was deleted, or it is somebody else’s.</p>
          </EmptyState>
        ) : (
          <div class="agents-two">
            <Properties session={session} />
            <div class="form">
              <h3>Plans in it</h3>
              {plans.length === 0 && <p class="quiet">None.</p>}
              <ul class="entry-list">
                {plans.map(({ planId, status, goalEvent }) => (
                  <li key={planId}>
                    <a href={agentsHref('plans', planId)}>{planId}</a>
                    <span class="meta-row">
                      <WorkStatus status={status} /> {goalEvent}
                    </span>
                  </li>
                ))}
              </ul>
            </div>
          </div>
        )
      }
    </AnswerPanel>
  );
}

function Properties({ session }: { readonly session: Session }): VNode {
  const { sessionId, agentId, name, createdAt, lastInteraction, endedAt, metadata } = session;
  const query = new URLSearchParams({ session: sessionId, ...(agentId !== undefined && { agent: agentId }) });
  return (
    <div class="form">
      <dl class="properties">
        {name !== undefined && (
          <>
            <dt>Name</dt>
            <dd>{name}</dd>
          </>
        )}
        <dt>Agent</dt>
        <dd>{agentId ?? 'none'}</dd>
        <dt>Begun</dt>
        <dd>
          {exactTime(createdAt)} <Time at={createdAt} />
        </dd>
        <dt>Last used</dt>
        <dd>
          {exactTime(lastInteraction)} <Time at={lastInteraction} />
        </dd>
        <dt>Ended</dt>
        <dd>{endedAt === undefined ? 'still open' : exactTime(endedAt)}</dd>
      </dl>
      {Object.keys(metadata).length > 0 && <JsonView label="Metadata" value={metadata} />}
      <p class="meta-row">
        <a href={`${ROOT}/browse?${query.toString()}&layer=session`}>Its memories</a>
        <a href={`${ROOT}/turn?${query.toString()}&recent=10`}>A turn in it</a>
      </p>
    </div>
  );
}
