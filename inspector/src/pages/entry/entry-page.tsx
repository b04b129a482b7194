/** A memory on a page of its own. */

import type { VNode } from 'preact';
import { go, ROOT } from '../../app/location.ts';
import type { PageProps } from '../../app/pages.ts';
import { EntryView } from './entry-view.tsx';

export function Page({ rest: [id] }: PageProps): VNode {
  if (id === undefined) {
    return (
      <div class="page">
        <h1>Which memory?</h1>
        <p>
          The address of a memory ends with its id. <a href={`${ROOT}/browse`}>Browse</a> to find one.
        </p>
      </div>
    );
  }
  return (
    <div class="page page-narrow">
      <EntryView heading="h1" id={id} key={id} onGone={() => go(`${ROOT}/browse`)} />
    </div>
  );
}
