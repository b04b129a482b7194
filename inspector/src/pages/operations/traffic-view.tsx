/** How often the service is asked, how fast it answers, and what fails. */

import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAnswer } from '../../api/use-answer.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { Choice } from '../../components/fields.tsx';
import { Panel } from '../../components/panel.tsx';
import { right, TableHead } from '../../components/table-head.tsx';
import { AdminPanel } from './admin-panel.tsx';
import type { Vitals } from './answers.ts';
import { bytesText, countText, durationText, millisecondsText, rateText } from './figures.ts';
import { RateChart, type Sample } from './rate-chart.tsx';
import { OperationsTable, SORTS } from './operations-table.tsx';
import { useRefresh } from '../../api/use-refresh.ts';

const REFRESH_MS = 3000;
const MAX_SAMPLES = 200;
const started = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const SPANS = ['lately', 'since start'] as const;

export function TrafficView(): VNode {
  const answer = useAnswer('metrics', (memory) => memory.admin.metrics({}));
  useRefresh([answer], REFRESH_MS);
  const samples = useSamples(answer.data);
  return (
    <>
      <AdminPanel title="The process" needs="Seeing how the service does" answer={answer} rows={2}>
        {(vitals) => <ProcessFigures vitals={vitals} />}
      </AdminPanel>
      {answer.data !== undefined && answer.error === undefined && (
        <>
          <Panel title="Requests per second, since you look">
            <RateChart samples={samples} />
          </Panel>
          <OperationsPanel vitals={answer.data} />
          <ErrorsPanel errors={answer.data.errors} />
        </>
      )}
    </>
  );
}

/** What was counted at each answer, so that the differences can be drawn. */
function useSamples(vitals: Vitals | undefined): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (vitals === undefined) return;
    const count = vitals.operations.reduce((sum, { total }) => sum + total.count, 0);
    const errors = vitals.operations.reduce((sum, { total }) => sum + total.errors, 0);
    setSamples((before) => {
      // A service that was started again counts from the beginning.
      const kept = count < (before.at(-1)?.count ?? 0) ? [] : before;
      return [...kept, { seconds: vitals.uptimeSeconds, count, errors }].slice(-MAX_SAMPLES);
    });
  }, [vitals]);
  return samples;
}

function ProcessFigures({ vitals }: { readonly vitals: Vitals }): VNode {
  const { process, uptimeSeconds, startedAt, operations, windowSeconds } = vitals;
  const perSecond = operations.reduce((sum, { recent }) => sum + recent.perSecond, 0);
  const errors = operations.reduce((sum, { recent }) => sum + recent.errors, 0);
  const delay = process.eventLoopDelayMs;
  const figures: readonly (readonly [string, string, string?])[] = [
    ['requests per second', rateText(perSecond), `in the last ${durationText(windowSeconds)}`],
    ['errors', countText(errors), `in the last ${durationText(windowSeconds)}`],
    [
      'memory',
      bytesText(process.rssBytes),
      `heap ${bytesText(process.heapBytes)}, native ${bytesText(process.externalBytes)}`,
    ],
    [
      'processor',
      `${rateText((process.cpuSeconds / Math.max(1, uptimeSeconds)) * 100)} %`,
      `${durationText(process.cpuSeconds)} in all`,
    ],
    ...(delay === undefined
      ? []
      : [
          [
            'event loop, p99',
            millisecondsText(delay.p99),
            `mean ${millisecondsText(delay.mean)}, worst ${millisecondsText(delay.max)}`,
          ] as const,
        ]),
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note !== undefined && <dd class="figure-note">{note}</dd>}
        </div>
      ))}
      <div>
        <dt>up for</dt>
        <dd>{durationText(uptimeSeconds)}</dd>
        <dd class="figure-note">since {started.format(new Date(startedAt))}</dd>
      </div>
    </dl>
  );
}

function OperationsPanel({ vitals }: { readonly vitals: Vitals }): VNode {
  const span = queryOf('span') === 'start' ? 'since start' : 'lately';
  const sort = SORTS.find((one) => one === queryOf('sort')) ?? 'count';
  return (
    <Panel
      title="Operations"
      aside={
        <>
          <Choice label="Sorted by" options={SORTS} chosen={sort} onChange={(chosen) => setQuery({ sort: chosen })} />
          <Choice
            label="Time"
            options={SPANS}
            chosen={span}
            onChange={(chosen) => setQuery({ span: chosen === 'lately' ? undefined : 'start' })}
          />
        </>
      }
    >
      {vitals.isMeasured ? (
        <OperationsTable vitals={vitals} span={span === 'lately' ? 'recent' : 'total'} sort={sort} />
      ) : (
        <p class="quiet">Nobody counts here: metrics are off in this process.</p>
      )}
    </Panel>
  );
}

function ErrorsPanel({ errors }: Pick<Vitals, 'errors'>): VNode {
  return (
    <Panel title="Errors since start">
      {errors.length === 0 ? (
        <p class="quiet">None.</p>
      ) : (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Errors by operation">
          <table class="table">
            <TableHead columns={['Code', 'Operation', right('How often')]} />
            <tbody>
              {errors.map(({ operation, code, count }) => (
                <tr key={`${operation} ${code}`}>
                  <td>
                    <code class="error-code">{code}</code>
                  </td>
                  <td>{operation}</td>
                  <td class="right numeric">{countText(count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
