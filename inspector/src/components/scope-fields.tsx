/** Opens layers that need an id: of an agent, a session, a project, a team, an organisation. They stand in the address. */

import type { VNode } from 'preact';
import { recentIds, rememberId, SCOPE_FIELDS, type ScopeName } from '../api/scope.ts';
import { queryOf, setQuery } from '../app/location.ts';

export function ScopeFields(): VNode {
  return (
    <fieldset class="scope-fields">
      <legend class="field-label">Opened beside your own memory</legend>
      <div class="scope-row">
        {SCOPE_FIELDS.map(([name]) => (
          <ScopeField name={name} key={name} />
        ))}
      </div>
    </fieldset>
  );
}

/** One of them. */
export function ScopeField({ name }: { readonly name: ScopeName }): VNode {
  return (
    <label class="field">
      <span class="field-label">
        <span class={`badge layer-${name}`}>{name}</span>
      </span>
      <input
        type="text"
        aria-label={`${name} id`}
        placeholder="id"
        autocomplete="off"
        spellcheck={false}
        list={`recent-${name}`}
        value={queryOf(name)}
        onChange={({ currentTarget }) => {
          const id = currentTarget.value.trim();
          rememberId(name, id);
          setQuery({ [name]: id });
        }}
      />
      <datalist id={`recent-${name}`}>
        {recentIds(name).map((id) => (
          <option value={id} key={id} />
        ))}
      </datalist>
    </label>
  );
}
