/** Facts as a graph that can be walked, at any time, with a list beside it that says the same. */

import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { lastChange } from '../../api/changes.ts';
import { givenScope, identifiersOf } from '../../api/scope.ts';
import { principalKey } from '../../api/session.ts';
import { useTypedQuery } from '../../app/debounced.ts';
import { useKeys } from '../../app/keyboard.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { Icon } from '../../components/icon.tsx';
import { ScopeFields } from '../../components/scope-fields.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { dayOf } from '../../components/time.tsx';
import { changesOf, graphOf, holdsAt, type FactGraph, type TimedFact } from './fact-graph.ts';
import { createFactLoader, type FactLoader } from './fact-loader.ts';
import { FactCanvas } from './fact-canvas.tsx';
import { endWalk, openNode, selectNode, startWalk, walkInAddress } from './fact-walk.ts';
import { colouringOf, GraphLegend } from './graph-legend.tsx';
import { NodeDetail } from './node-detail.tsx';
import { NodeList } from './node-list.tsx';
import { TimeSlider } from './time-slider.tsx';

const FIRST_COMMAND = {
  fact_type: 'deployment',
  subject: 'api',
  predicate: 'runs_on',
  object: 'postgres-17',
  cardinality: 'one',
};

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
      <FactBar names={facts} />
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

function FactBar({ names }: { readonly names: readonly TimedFact[] }): VNode {
  const [text, type] = useTypedQuery('q');
  const [isOpen, setOpen] = useState(Object.keys(givenScope()).length > 0);
  const go = (): void => {
    const wanted = text.trim();
    if (wanted === '') return;
    const all = new Set(names.flatMap(({ subject, object }) => [subject, object]));
    const name = all.has(wanted) ? wanted : [...all].find((one) => isMatch(one, wanted));
    setQuery({ q: undefined });
    startWalk(name ?? wanted);
  };
  return (
    <search class="canvas-bar">
      <div class="search-line">
        <label class="search-field">
          <Icon name="search" />
          <span class="visually-hidden">Find a subject</span>
          <input
            type="search"
            data-search
            placeholder="Find a subject or an object; Enter walks from there"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') go();
              else if (event.key === 'ArrowDown') moveFocus('.fact-link', 1);
              else if (event.key === 'Escape') event.currentTarget.blur();
              else return;
              event.preventDefault();
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" /> Options
        </button>
      </div>
      {isOpen && <ScopeFields />}
    </search>
  );
}

function isMatch(name: string, words: string): boolean {
  return name.toLocaleLowerCase().includes(words.toLocaleLowerCase());
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

function NoFacts({ start }: { readonly start: string | undefined }): VNode {
  return (
    <EmptyState
      title={start === undefined ? 'No facts yet' : `Nothing is known about “${start}”`}
      command={curlCommand('/v1/memory/facts', FIRST_COMMAND)}
    >
      {start === undefined ? (
        <p>
          A fact says that a subject has an object under a predicate, and when. Open a project or a team with Options,
          look as somebody else (press w), or write a first one down:
        </p>
      ) : (
        <p>
          Names are compared exactly.{' '}
          <button type="button" class="link-button" onClick={endWalk}>
            Show everything
          </button>
          , or write a fact down:
        </p>
      )}
    </EmptyState>
  );
}
