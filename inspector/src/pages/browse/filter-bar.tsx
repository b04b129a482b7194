/** The filters of the list. */

import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { KINDS } from '../../../../src/domain/kind.ts';
import { LAYERS } from '../../../../src/domain/scope.ts';
import { useTypedQuery } from '../../app/debounced.ts';
import { queryListOf, queryOf, setQuery } from '../../app/location.ts';
import { Chips, Select, TextField } from '../../components/fields.tsx';
import { SCOPE_FIELDS } from '../../api/scope.ts';
import { Icon } from '../../components/icon.tsx';
import { ScopeField } from '../../components/scope-fields.tsx';
import type { BrowseFilters } from './browse-filters.ts';

export function FilterBar({ filters }: { readonly filters: BrowseFilters }): VNode {
  const [text, type] = useTypedQuery('text');
  // On a phone they would leave no room for the list.
  const [isOpen, setOpen] = useState(false);
  const scope = SCOPE_FIELDS.find(([name]) => name === filters.layer)?.[0];
  return (
    <search class="filter-bar">
      <div class="filter-head">
        <div class="layer-tabs" role="radiogroup" aria-label="Layer">
          {LAYERS.map((layer) => (
            <label class={`chip layer-${layer}`} key={layer}>
              <input
                type="radio"
                name="layer"
                checked={filters.layer === layer}
                onChange={() => setQuery({ layer, entry: undefined })}
              />
              {layer}
            </label>
          ))}
        </div>
        <Chips
          label="Kinds"
          options={KINDS}
          chosen={queryListOf('kinds')}
          classOf={(kind) => `kind-${kind}`}
          onChange={(chosen) => setQuery({ kinds: chosen.join(',') })}
        />
        <button type="button" class="button filter-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" /> Filters
        </button>
      </div>
      {scope !== undefined && <ScopeField name={scope} key={scope} />}
      <div class={isOpen ? 'filter-row is-open' : 'filter-row'}>
        <label class="field">
          <span class="field-label">Words</span>
          <input
            type="search"
            data-search
            placeholder="any"
            autocomplete="off"
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
          />
        </label>
        <Select
          label="Status"
          options={[
            ['active', 'in use'],
            ['archived', 'archived'],
            ['all', 'both'],
            ['quarantined', 'waiting for review'],
          ]}
          value={filters.status}
          onInput={(status) => setQuery({ status: status === 'active' ? undefined : status })}
        />
        <TextField
          label="Any of the tags"
          placeholder="a, b"
          value={queryOf('tags').replaceAll(',', ', ')}
          onInput={(tags) => setQuery({ tags: tags.replaceAll(/\s*,\s*/g, ',').trim() }, { replace: true })}
        />
        <TextField
          label="Created since"
          type="datetime-local"
          value={queryOf('since')}
          onInput={(since) => setQuery({ since })}
        />
        <TextField
          label="As it was at"
          type="datetime-local"
          value={queryOf('as_of')}
          onInput={(asOf) => setQuery({ as_of: asOf })}
        />
      </div>
    </search>
  );
}
