/** A page with the memory that the address names (`entry=ID`) beside it. Escape closes that, so does "back". */

import type { ComponentChildren, VNode } from 'preact';
import { entryHref } from '../app/pages.ts';
import { useKeys } from '../app/keyboard.ts';
import { go, queryOf, setQuery } from '../app/location.ts';
import { EntryView } from '../pages/entry/entry-view.tsx';
import { Icon } from './icon.tsx';

function close(): void {
  setQuery({ entry: undefined });
}

export function SplitPage({ children }: { readonly children: ComponentChildren }): VNode {
  const id = queryOf('entry');
  return (
    <div class={id === '' ? 'split' : 'split split-open'}>
      <div class="split-main">{children}</div>
      {id !== '' && <Side id={id} />}
    </div>
  );
}

function Side({ id }: { readonly id: string }): VNode {
  useKeys('Memory beside the list', [
    { keys: ['Escape'], help: 'Close it', run: close },
    { keys: ['o'], help: 'Open it on its own page', run: () => go(entryHref(id)) },
  ]);
  return (
    <aside class="split-side" aria-label="Memory">
      <div class="side-bar">
        <a class="button button-small" href={entryHref(id)}>
          <Icon name="open" /> Own page
        </a>
        <button type="button" class="icon-button" aria-label="Close" title="Close (Esc)" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <EntryView heading="h2" id={id} key={id} onGone={close} />
    </aside>
  );
}
