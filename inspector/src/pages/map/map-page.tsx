/** A map of memory: what is alike in meaning lies together. */

import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { givenScope, identifiersOf } from '../../api/scope.ts';
import { useKeys } from '../../app/keyboard.ts';
import { queryListOf, queryOf, ROOT, setQuery } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import type { Stage } from '../../components/canvas-stage.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { rememberCommand } from '../../components/remember-command.ts';
import { SplitPage } from '../../components/split-page.tsx';
import { seen } from '../../components/view-transform.ts';
import { MapBar } from './map-bar.tsx';
import { MapCanvas } from './map-canvas.tsx';
import { MapLegend } from './map-legend.tsx';
import { MapList } from './map-list.tsx';
import {
  COLOURINGS,
  groupOf,
  isInside,
  pointsOf,
  readArea,
  writtenArea,
  type Area,
  type MapPoint,
} from './map-points.ts';
import { useMap, type MapState } from './use-map.ts';

export function Page(): VNode {
  const map = useMap(queryOf('archived') === '1');
  const [isLasso, setLasso] = useState(false);
  const colouring = COLOURINGS.find((one) => one === queryOf('colour')) ?? 'layer';
  const all = useMemo(() => (map.points === undefined ? undefined : pointsOf(map.points, Date.now())), [map.points]);
  useKeys('Map', [
    { keys: ['j', 'ArrowDown'], help: 'Next in the list', run: () => moveFocus('.map-row', 1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous in the list', run: () => moveFocus('.map-row', -1) },
    { keys: ['l'], help: 'Draw around memories, or move the map', run: () => setLasso((before) => !before) },
    { keys: ['Escape'], help: 'Take the area away', run: () => setQuery({ area: undefined }) },
  ]);
  return (
    <SplitPage>
      <div class="canvas-page">
        <h1 class="visually-hidden">Map of memory</h1>
        <MapBar colouring={colouring} isLasso={isLasso} onLasso={() => setLasso(!isLasso)} />
        {map.error !== undefined && all === undefined ? (
          <div class="canvas-state">
            <ErrorPanel error={map.error} onRetry={map.retry} />
          </div>
        ) : all === undefined ? (
          <Computing map={map} />
        ) : all.length === 0 ? (
          <NothingThere map={map} />
        ) : (
          <MapView
            all={all}
            map={map}
            colouring={colouring}
            isLasso={isLasso}
            onArea={(area) => {
              setLasso(false);
              setQuery({ area: writtenArea(area) });
            }}
          />
        )}
      </div>
    </SplitPage>
  );
}

function Computing({ map: { last } }: { readonly map: MapState }): VNode {
  const percent = Math.round((last?.progress ?? 0) * 100);
  return (
    <div class="canvas-state map-computing" role="status" aria-live="polite">
      <h2>{last === undefined ? 'Asking for the map' : 'The map is being computed'}</h2>
      <progress max={100} value={percent} aria-label="Progress">
        {percent}%
      </progress>
      <p class="quiet">
        <span class="numeric">{percent}%</span>
        {last !== undefined &&
          ` of ${numbers.format(last.total)} memories. It is kept: the next time it is here at once.`}
      </p>
    </div>
  );
}

function NothingThere({ map: { last } }: { readonly map: MapState }): VNode {
  const total = last?.total ?? 0;
  return (
    <EmptyState
      title={total === 0 ? 'Nothing to draw yet' : 'None of these memories has a vector yet'}
      command={rememberCommand(identifiersOf())}
    >
      <p>
        {total === 0
          ? 'The map shows memories by their meaning. Open a project or a team with Options, look as somebody else (press w), or store a first memory:'
          : 'Vectors are made in the background, or with “lamina reindex” after embeddings were turned on. A new memory would be:'}
      </p>
    </EmptyState>
  );
}

interface MapViewProps {
  readonly all: readonly MapPoint[];
  readonly map: MapState;
  readonly colouring: (typeof COLOURINGS)[number];
  readonly isLasso: boolean;
  readonly onArea: (area: Area) => void;
}

const numbers = new Intl.NumberFormat();

function MapView({ all, map, colouring, isLasso, onArea }: MapViewProps): VNode {
  const stage = useRef<Stage>(null);
  const [areaText, words, only] = [queryOf('area'), queryOf('q').trim().toLocaleLowerCase(), queryOf('only')];
  const area = useMemo(() => readArea(areaText), [areaText]);
  const shown = useMemo(() => {
    const groups = queryListOf('only');
    return all
      .filter((point) => groups.length === 0 || groups.includes(groupOf(point, colouring)))
      .filter(({ label }) => words === '' || label.toLocaleLowerCase().includes(words))
      .filter((point) => area === undefined || isInside(area, point));
  }, [all, colouring, only, words, area]);
  const shownSet = useMemo(() => new Set(shown), [shown]);
  const chooseView = (): void => {
    if (stage.current === null) return;
    const { left, top, right, bottom } = seen(stage.current.view, stage.current.size);
    onArea([
      { x: left, y: top },
      { x: right, y: top },
      { x: right, y: bottom },
      { x: left, y: bottom },
    ]);
  };
  useKeys('Map', [{ keys: ['v'], help: 'Choose what is in view', run: chooseView }]);
  const summary = `${numbers.format(shown.length)} of ${numbers.format(all.length)} memories`;
  return (
    <div class={isLasso ? 'canvas-split is-lasso' : 'canvas-split'}>
      <div class="canvas-main map-main">
        <MapCanvas
          stage={stage}
          label={`Map with ${summary}. The list beside it has the same.`}
          all={all}
          shown={shownSet}
          colouring={colouring}
          area={area}
          selected={queryOf('entry') || undefined}
          isLasso={isLasso}
          onArea={onArea}
          onOpen={(id) => setQuery({ entry: id })}
        />
        <MapLegend points={all} colouring={colouring} />
      </div>
      <div class="canvas-side">
        <div class="canvas-count map-count">
          <p class="quiet" role="status" aria-live="polite">
            <b>{summary}</b>
            {area !== undefined && ' in the area'}
            {newsOf(map, all.length)}
          </p>
          <div class="node-actions">
            <button type="button" class="button button-small" title="Choose what is in view (v)" onClick={chooseView}>
              Choose what is in view
            </button>
            <a class="button button-small" href={browseHref(shown)}>
              Browse
            </a>
            {area !== undefined && (
              <button type="button" class="button button-small" onClick={() => setQuery({ area: undefined })}>
                Clear the area
              </button>
            )}
          </div>
        </div>
        {shown.length === 0 ? (
          <p class="quiet map-none">Nothing there with these filters.</p>
        ) : (
          <MapList points={shown} />
        )}
      </div>
    </div>
  );
}

/** The list with the layer of most of them, and their kind where it is one. */
function browseHref(points: readonly MapPoint[]): string {
  const layers = [...Map.groupBy(points, ({ layer }) => layer)];
  const [layer = 'user'] = layers.toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  const kinds = new Set(points.map(({ kind }) => kind));
  const query = new URLSearchParams({ ...givenScope(), layer, ...(kinds.size === 1 && { kinds: [...kinds].join() }) });
  return `${ROOT}/browse?${query.toString()}`;
}

function newsOf({ last, error }: MapState, count: number): string {
  if (error !== undefined) return ` · ${error.message}`;
  if (last === undefined) return '';
  const without = last.total - count;
  const rest = without > 0 ? ` · ${numbers.format(without)} more are not on the map` : '';
  if (last.status === 'computing') return `${rest} · a new map: ${Math.round(last.progress * 100)}%`;
  return last.isStale ? `${rest} · memory has changed, a new map follows` : rest;
}
