/** The answer to one search, with what was left out. */

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OperationInput, OperationOutput } from '../../../../src/operations/table.ts';
import { useAnswer, type Answer } from '../../api/use-answer.ts';
import { queryOf } from '../../app/location.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { reachOf, SignalLegend } from '../../components/signal-bar.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { LeftOutList } from './left-out.tsx';
import { movesOf } from './moves.ts';
import { ResultCard } from './result-card.tsx';
import { setSetting, settingOf, type Side } from './search-settings.ts';

export type Found = OperationOutput<'search'> & { readonly tookMs: number };

/** Asks, and measures how long it took to be told. */
export function useSearch(input: OperationInput<'search'> | undefined): Answer<Found> {
  return useAnswer<Found>(input && JSON.stringify(input), async (memory) => {
    const started = performance.now();
    const found = await memory.search(input ?? { query: '' });
    return { ...found, tookMs: performance.now() - started };
  });
}

interface SearchColumnProps {
  readonly side: Side;
  readonly answer: Answer<Found>;
  /** The other side's ids, where two are compared. */
  readonly others?: readonly string[] | undefined;
}

export function SearchColumn({ side, answer, others }: SearchColumnProps): VNode {
  const { data, error, isLoading, reload } = answer;
  const isSlow = useIsSlow(isLoading);
  if (error !== undefined) return <ErrorPanel error={error} onRetry={reload} />;
  if (data === undefined) return <Skeleton rows={4} kind="card" />;
  const { results } = data;
  const signals = results.map((result) => result.signals);
  const reach = reachOf(signals);
  const ids = results.map(({ memory }) => memory.id);
  const moves = others && movesOf(ids, others);
  return (
    <div class="search-answer" data-slow={isSlow}>
      <div class="search-summary">
        <p role="status" aria-live="polite">
          {summaryOf(data)}
        </p>
        <SignalLegend all={signals} />
      </div>
      {data.warnings?.map((warning) => (
        <p class="warning" key={warning}>
          {warning}
        </p>
      ))}
      {results.length === 0 && <NothingFound side={side} data={data} />}
      <ol class="results">
        {results.map((result, at) => (
          <ResultCard
            key={result.memory.id}
            result={result}
            place={at + 1}
            reach={reach}
            isByPrecedence={settingOf(side, 'rank') !== 'relevance' && data.searchedLayers.length > 1}
            isSelected={queryOf('entry') === result.memory.id}
            move={moves?.get(result.memory.id)}
          />
        ))}
      </ol>
      {others !== undefined && <Gone ids={ids} others={others} />}
      {data.leftOut !== undefined && <LeftOutList leftOut={data.leftOut} />}
    </div>
  );
}

function summaryOf({ results, totalCount, searchedLayers, tookMs, withheld }: Found): string {
  const counted = results.length === totalCount ? `${totalCount}` : `${results.length} of ${totalCount}`;
  const hidden = withheld === undefined || withheld === 0 ? '' : `, ${withheld} withheld`;
  return `${counted} found${hidden} in ${searchedLayers.join(', ')} · ${tookMs.toFixed(0)} ms`;
}

function Gone({ ids, others }: { readonly ids: readonly string[]; readonly others: readonly string[] }): VNode | null {
  const gone = others.filter((id) => !ids.includes(id)).length;
  return gone === 0 ? null : (
    <p class="quiet">
      <span class="move move-gone">gone</span> {gone} of the other side {gone === 1 ? 'is' : 'are'} not here.
    </p>
  );
}

function NothingFound({ side, data }: { readonly side: Side; readonly data: Found }): VNode {
  const below = data.leftOut?.counts.threshold ?? 0;
  return (
    <EmptyState title="Nothing scored high enough">
      {below > 0 ? (
        <>
          <p>{below} came near, but stayed below the threshold.</p>
          <button type="button" class="button" onClick={() => setSetting(side, 'threshold', '0')}>
            Show them: threshold 0
          </button>
        </>
      ) : (
        <p>
          Searched: {data.searchedLayers.join(', ')}. Open a project, team or session in the options, or look as
          somebody else (press <kbd>w</kbd>).
        </p>
      )}
    </EmptyState>
  );
}

/** What takes long is dimmed; what comes at once does not flicker. */
const SLOW_MS = 150;

function useIsSlow(isLoading: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => {
    window.clearTimeout(timer.current);
    if (isLoading) timer.current = window.setTimeout(() => setSlow(true), SLOW_MS);
    else setSlow(false);
    return () => window.clearTimeout(timer.current);
  }, [isLoading]);
  return isSlow;
}
