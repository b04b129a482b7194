/** What is coloured by what, what is shown, and whether a drag moves or draws. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { givenScope } from '../../api/scope.ts';
import { useTypedQuery } from '../../app/debounced.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { Choice } from '../../components/fields.tsx';
import { Icon } from '../../components/icon.tsx';
import { ScopeFields } from '../../components/scope-fields.tsx';
import { COLOURINGS, type Colouring } from './map-points.ts';

interface MapBarProps {
  readonly colouring: Colouring;
  readonly isLasso: boolean;
  readonly onLasso: () => void;
}

export function MapBar({ colouring, isLasso, onLasso }: MapBarProps): VNode {
  const [text, type] = useTypedQuery('q');
  const [isOpen, setOpen] = useState(Object.keys(givenScope()).length > 0);
  return (
    <search class="canvas-bar">
      <div class="search-line map-line">
        <label class="search-field">
          <Icon name="search" />
          <span class="visually-hidden">Words on the map</span>
          <input
            type="search"
            data-search
            placeholder="Bring out these words"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowDown' || event.key === 'Enter') moveFocus('.map-row', 1);
              else if (event.key === 'Escape') event.currentTarget.blur();
              else return;
              event.preventDefault();
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <Choice
          label="Colour by"
          options={COLOURINGS}
          chosen={colouring}
          onChange={(next) => setQuery({ colour: next === 'layer' ? undefined : next, only: undefined })}
        />
        <button type="button" class="button" aria-pressed={isLasso} title="Draw around memories (l)" onClick={onLasso}>
          <Icon name="lasso" /> Lasso
        </button>
        <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" /> Options
        </button>
      </div>
      {isOpen && (
        <>
          <ScopeFields />
          <label class="check">
            <input
              type="checkbox"
              checked={queryOf('archived') === '1'}
              onChange={({ currentTarget }) => setQuery({ archived: currentTarget.checked ? '1' : undefined })}
            />
            With what is archived
          </label>
        </>
      )}
    </search>
  );
}
