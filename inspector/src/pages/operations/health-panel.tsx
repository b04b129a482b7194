/** Each part of the service, and how it is. Everybody may know. */

import type { VNode } from 'preact';
import type { HealthReport } from '../../../../src/domain/health.ts';
import { askHealth } from '../../api/ask.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { AnswerPanel } from '../../components/panel.tsx';
import { millisecondsText } from './figures.ts';
import { useRefresh } from '../../api/use-refresh.ts';

const REFRESH_MS = 10_000;

export function HealthPanel(): VNode {
  const answer = useAnswer('health', (_memory, signal) => askHealth(signal));
  useRefresh([answer], REFRESH_MS);
  return (
    <AnswerPanel
      title="Health"
      answer={answer}
      rows={1}
      aside={({ status, latencyMs }) => (
        <span class="health-whole" aria-live="polite">
          <HealthBadge status={status} />
          <span class="quiet">checked in {millisecondsText(latencyMs)}</span>
        </span>
      )}
    >
      {({ components }) => (
        <ul class="health-parts">
          {Object.entries(components).map(([name, { status, message }]) => (
            <li key={name}>
              <b>{name.replaceAll('_', ' ')}</b>
              <HealthBadge status={status} />
              {message !== undefined && <span class="quiet">{message}</span>}
            </li>
          ))}
        </ul>
      )}
    </AnswerPanel>
  );
}

function HealthBadge({ status }: Pick<HealthReport, 'status'>): VNode {
  return <span class={`badge-plain health-${status}`}>{status}</span>;
}
