/** Search as you type, with the reasons; two settings side by side. */

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { givenScope, identifiersOf } from '../../api/scope.ts';
import { useKeys } from '../../app/keyboard.ts';
import { queryOf, setQuery } from '../../app/location.ts';
import { useTypedQuery } from '../../app/debounced.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { GivenOptions } from '../../components/given-options.tsx';
import { Icon } from '../../components/icon.tsx';
import { ScopeFields } from '../../components/scope-fields.tsx';
import { SplitPage } from '../../components/split-page.tsx';
import { rememberCommand } from '../../components/remember-command.ts';
import { MemoryOverview } from './memory-overview.tsx';
import { SearchColumn, useSearch } from './search-column.tsx';
import { SearchOptions } from './search-options.tsx';
import { changedSettings, searchInputOf, SETTING_NAMES } from './search-settings.ts';

const RESULTS = '.result-link';

export function Page(): VNode {
  useKeys('Search', [
    { keys: ['j', 'ArrowDown'], help: 'Next result', run: () => moveFocus(RESULTS, 1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous result', run: () => moveFocus(RESULTS, -1) },
    { keys: ['c'], help: 'Compare two settings', run: toggleCompare },
  ]);
  return (
    <SplitPage>
      <div class="page">
        <h1 class="visually-hidden">Search</h1>
        <SearchBar />
        <Answers />
      </div>
    </SplitPage>
  );
}

function isComparing(): boolean {
  return queryOf('compare') === '1';
}

function toggleCompare(): void {
  const without = Object.fromEntries(SETTING_NAMES.map((name) => [`b.${name}`, undefined]));
  setQuery(isComparing() ? { ...without, compare: undefined } : { compare: '1', 'b.rank': 'relevance' });
}

function SearchBar(): VNode {
  const [text, type] = useTypedQuery('q');
  const field = useRef<HTMLInputElement>(null);
  const changed = [...Object.keys(givenScope()), ...changedSettings('')];
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (queryOf('entry') === '') field.current?.focus();
  }, []);
  return (
    <search class="search-bar">
      <div class="search-line">
        <label class="search-field">
          <Icon name="search" />
          <span class="visually-hidden">Search memory</span>
          <input
            ref={field}
            type="search"
            data-search
            placeholder="Search memory by meaning and by words"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' || event.key === 'ArrowDown') {
                event.preventDefault();
                moveFocus(RESULTS, 1);
              } else if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <button type="button" class="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" /> Options
        </button>
        <button type="button" class="button" aria-pressed={isComparing()} onClick={toggleCompare}>
          <Icon name="compare" /> Compare
        </button>
      </div>
      {!isOpen && <GivenOptions names={changed} />}
      {isOpen && (
        <div class="panel panel-body search-settings">
          <ScopeFields />
          {!isComparing() && <SearchOptions side="" />}
        </div>
      )}
    </search>
  );
}

function Answers(): VNode {
  const query = queryOf('q').trim();
  const comparing = isComparing();
  const first = useSearch(query === '' ? undefined : searchInputOf('', query));
  const second = useSearch(query === '' || !comparing ? undefined : searchInputOf('b.', query));
  if (query === '') return <Start />;
  if (!comparing) return <SearchColumn side="" answer={first} />;
  const ids = first.data?.results.map(({ memory }) => memory.id);
  return (
    <div class="compare">
      <section aria-label="A">
        <details class="panel compare-settings" open>
          <summary>A</summary>
          <SearchOptions side="" isShort />
        </details>
        <SearchColumn side="" answer={first} />
      </section>
      <section aria-label="B">
        <details class="panel compare-settings" open>
          <summary>B, with what moved against A</summary>
          <SearchOptions side="b." isShort />
        </details>
        <SearchColumn side="b." answer={second} others={ids} />
      </section>
    </div>
  );
}

function Start(): VNode {
  return (
    <>
      <EmptyState title="What do your agents remember?" command={rememberCommand(identifiersOf())}>
        <p>
          Type a question or a few words. Every layer that you can open is searched at once, and each result says why it
          is there. Nothing stored yet? Paste this, then search for “tea”.
        </p>
      </EmptyState>
      <div class="start-overview">
        <MemoryOverview />
      </div>
    </>
  );
}
