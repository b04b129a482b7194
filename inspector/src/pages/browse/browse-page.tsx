/** Browse by layer, scope, kind, tag, status, time and words. */

import type { VNode } from 'preact';
import { EmptyState } from '../../components/empty-state.tsx';
import { LayerBadge } from '../../components/badges.tsx';
import { SplitPage } from '../../components/split-page.tsx';
import { filtersInAddress, missingScope } from './browse-filters.ts';
import { EntryList } from './entry-list.tsx';
import { FilterBar } from './filter-bar.tsx';

export function Page(): VNode {
  const filters = filtersInAddress();
  const missing = missingScope(filters);
  return (
    <SplitPage>
      <div class="browse">
        <h1 class="visually-hidden">Browse</h1>
        <FilterBar filters={filters} />
        {missing === undefined ? (
          <EntryList filters={filters} />
        ) : (
          <EmptyState title={`Which ${missing}?`}>
            <p>
              The <LayerBadge layer={filters.layer} /> layer is the memory of one {missing}. Give its id above.
            </p>
          </EmptyState>
        )}
      </div>
    </SplitPage>
  );
}
