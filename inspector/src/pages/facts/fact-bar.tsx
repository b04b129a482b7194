/** Finds a subject or an object by its name, and opens other layers. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { givenScope } from '../../api/scope.ts';
import { useTypedQuery } from '../../app/debounced.ts';
import { setQuery } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { Icon } from '../../components/icon.tsx';
import { ScopeFields } from '../../components/scope-fields.tsx';
import type { TimedFact } from './fact-graph.ts';
import { startWalk } from './fact-walk.ts';

export function FactBar({ facts }: { readonly facts: readonly TimedFact[] }): VNode {
  const [text, type] = useTypedQuery('q');
  const [isOpen, setOpen] = useState(Object.keys(givenScope()).length > 0);
  const go = (): void => {
    const wanted = text.trim();
    if (wanted === '') return;
    const all = new Set(facts.flatMap(({ subject, object }) => [subject, object]));
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
            placeholder="Find a subject or an object"
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

/** Whether the words are in the name. */
export function isMatch(name: string, words: string): boolean {
  return name.toLocaleLowerCase().includes(words.toLocaleLowerCase());
}
