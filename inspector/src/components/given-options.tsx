/** The options that are set in the address, each with a way to take it away. */

import type { VNode } from 'preact';
import { queryOf, setQuery } from '../app/location.ts';
import { Icon } from './icon.tsx';

export function GivenOptions({ names }: { readonly names: readonly string[] }): VNode | null {
  if (names.length === 0) return null;
  return (
    <ul class="given" aria-label="Options that are set">
      {names.map((name) => (
        <li key={name}>
          <button type="button" class="given-chip" title="Take it away" onClick={() => setQuery({ [name]: undefined })}>
            {name.replace('_', ' ')} <b>{queryOf(name)}</b> <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
