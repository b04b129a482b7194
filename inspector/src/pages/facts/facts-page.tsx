/** Facts as a graph that can be walked, at any time, with a list beside it that says the same. */

import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { lastChange } from '../../api/changes.ts';
import { identifiersOf } from '../../api/scope.ts';
import { principalKey } from '../../api/session.ts';
import { useKeys } from '../../app/keyboard.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { dayOf } from '../../components/time.tsx';
import { FactBar, isMatch } from './fact-bar.tsx';
import { changesOf, graphOf, holdsAt, type FactGraph, type TimedFact } from './fact-graph.ts';
import { createFactLoader, type FactLoader } from './fact-loader.ts';
import { FactCanvas } from './fact-canvas.tsx';
import { endWalk, openNode, selectNode, walkInAddress } from './fact-walk.ts';
import { colouringOf, GraphLegend } from './graph-legend.tsx';
import { NoFacts } from './no-facts.tsx';
import { NodeDetail } from './node-detail.tsx';
import { NodeList } from './node-list.tsx';
import { TimeSlider } from './time-slider.tsx';

export function Page(): VNode {
  const loader = useLoader();
  const walk = walkInAddress();
  const walkKey = walk?.join('\n');
  useEffect(() => loader.ensure(walk), [loader, walkKey]);
  useFactKeys();
  const version = loader.version.value;
  const facts = useMemo(() => factsOn(loader, walk), [loader, version, walkKey]);
  const { isLoading, error } = loader;
  return (
    <div class="canvas-page">
      <h1 class="visually-hidden">Facts</h1>
      <FactBar facts={facts} />
      {error !== undefined ? (
        <div class="canvas-state">
          <ErrorPanel error={error} onRetry={() => loader.retry()} />
        </div>
      ) : facts.length > 0 ? (
        <Graph facts={facts} loader={loader} walk={walk} />
      ) : isLoading || version === 0 ? (
        <div class="canvas-state">
          <Skeleton rows={5} kind="card" />
        </div>
      ) : (
        <NoFacts start={walk?.[0]} />
      )}
    </div>
  );
}

/** One for each scope and principal; anew after a write. */
function useLoader(): FactLoader {
  const identifiers = identifiersOf();
  const key = JSON.stringify([identifiers, principalKey.value, lastChange.value.number]);
  const loader = useMemo(() => createFactLoader(identifiers), [key]);
  useEffect(() => () => loader.close(), [loader]);
  return loader;
}

/** On a walk only those that touch what is opened. */
function factsOn({ facts }: FactLoader, walk: readonly string[] | undefined): TimedFact[] {
  const opened = new Set(walk);
  const all = [...facts.values()];
  return walk === undefined ? all : all.filter(({ subject, object }) => opened.has(subject) || opened.has(object));
}

function useFactKeys(): void {
  useKeys('Facts', [
    { keys: ['j', 'ArrowDown'], help: 'Next in the list', run: () => moveFocus('.fact-link', 1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous in the list', run: () => moveFocus('.fact-link', -1) },
    {
      keys: ['e'],
      help: 'Walk on from what is selected',
      run: () => {
        if (queryOf('node') !== '') openNode(queryOf('node'));
      },
    },
    { keys: ['Escape'], help: 'Back to the list, then to everything', run: stepBack },
  ]);
}

function stepBack(): void {
  if (queryOf('node') !== '') selectNode(undefined);
  else if (walkInAddress() !== undefined) endWalk();
}

interface GraphProps {
  readonly facts: readonly TimedFact[];
  readonly loader: FactLoader;
  readonly walk: readonly string[] | undefined;
}

function Graph({ facts, loader, walk }: GraphProps): VNode {
  const before = useRef<FactGraph | undefined>(undefined);
  const graph = useMemo(() => (before.current = graphOf(facts, before.current)), [facts]);
  const by = queryOf('colour') === 'layer' ? 'layer' : 'type';
  const colouring = useMemo(() => colouringOf(graph, by), [graph, by]);
  const changes = useMemo(() => changesOf(facts), [facts]);
  const asked = Date.parse(queryOf('at'));
  const isNow = Number.isNaN(asked);
  const at = isNow ? Date.now() : asked;
  const selected = queryOf('node') || undefined;
  const words = queryOf('q').trim();
  const counts = useMemo(() => countsAt(facts, at), [facts, isNow ? 0 : at]);
  const nodes = useMemo(
    () =>
      graph.nodes
        .filter(({ name }) => counts.has(name) && isMatch(name, words))
        .toSorted((one, other) => (counts.get(other.name) ?? 0) - (counts.get(one.name) ?? 0)),
    [graph, counts, words],
  );
  const holding = facts.filter((fact) => holdsAt(fact, at)).length;
  const summary = summaryOf(counts.size, holding, isNow ? 'now' : `on ${dayOf(at)}`);
  return (
    <div class="canvas-split">
      <div class="canvas-main">
        <FactCanvas
          graph={graph}
          label={`Graph of ${summary}. The list beside it says the same.`}
          look={{
            at,
            tokenOf: colouring.tokenOf,
            selected,
            opened: walk && new Set(walk),
            isFound: words === '' ? undefined : (name) => isMatch(name, words),
          }}
          onSelect={selectNode}
          onOpen={openNode}
        />
        <GraphLegend colouring={colouring} isWalk={walk !== undefined} />
        <TimeSlider
          changes={changes}
          at={at}
          isNow={isNow}
          onChange={(next) =>
            setQuery({ at: next === undefined ? undefined : new Date(next).toISOString() }, { replace: true })
          }
        />
      </div>
      <div class="canvas-side">
        <p class="canvas-count quiet" role="status" aria-live="polite">
          {summary}
          {walk !== undefined && ` · from ${walk[0]}`}
          {walk === undefined && !loader.isWhole && !loader.isLoading && ' · the most certain; walk to see others'}
          {loader.isLoading && ' · loading'}
        </p>
        {selected === undefined ? (
          <NodeList nodes={nodes} countOf={(name) => counts.get(name) ?? 0} />
        ) : (
          <NodeDetail
            name={selected}
            facts={facts.filter(({ subject, object }) => subject === selected || object === selected)}
            at={at}
            isLoading={loader.isLoading}
          />
        )}
      </div>
    </div>
  );
}

const numbers = new Intl.NumberFormat();

function summaryOf(things: number, facts: number, when: string): string {
  return `${numbers.format(facts)} ${facts === 1 ? 'fact' : 'facts'} about ${numbers.format(things)} things, ${when}`;
}

function countsAt(facts: readonly TimedFact[], at: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const fact of facts) {
    if (!holdsAt(fact, at)) continue;
    for (const name of new Set([fact.subject, fact.object])) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
