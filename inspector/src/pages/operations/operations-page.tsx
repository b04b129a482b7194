/** Operations: how the service does, and what whoever runs it can do. A tab per matter, each with an address of its own. */

import type { ComponentType, VNode } from 'preact';
import { useKeys } from '../../app/keyboard.ts';
import { go, ROOT } from '../../app/location.ts';
import type { PageProps } from '../../app/pages.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErasureView } from './erasure-view.tsx';
import { EventsView } from './events-view.tsx';
import { KeysView } from './keys-view.tsx';
import { MaintenanceView } from './maintenance-view.tsx';
import { OverviewView } from './overview-view.tsx';
import { TrafficView } from './traffic-view.tsx';

interface Tab {
  readonly id: string;
  readonly title: string;
  /** `detail` is what follows in the address: the id of a run, of an erasure. */
  readonly View: ComponentType<{ readonly detail: string | undefined }>;
}

const TABS: readonly Tab[] = [
  { id: '', title: 'Overview', View: OverviewView },
  { id: 'traffic', title: 'Traffic', View: TrafficView },
  { id: 'maintenance', title: 'Maintenance', View: MaintenanceView },
  { id: 'events', title: 'Events', View: EventsView },
  { id: 'keys', title: 'Keys', View: KeysView },
  { id: 'erasure', title: 'Erasure', View: ErasureView },
];

function hrefOf({ id }: Tab): string {
  return `${ROOT}/operations${id === '' ? '' : `/${id}`}`;
}

export function Page({ rest }: PageProps): VNode {
  const [id = '', detail] = rest;
  const current = TABS.find((tab) => tab.id === id);
  useKeys(
    'Operations',
    TABS.map((tab, at) => ({ keys: [String(at + 1)], help: tab.title, run: () => go(hrefOf(tab)) })),
  );
  return (
    <div class="page operations">
      <header class="page-header">
        <h1>Operations</h1>
        <nav class="tabs" aria-label="Operations">
          {TABS.map((tab) => (
            <a key={tab.id} class="tab" href={hrefOf(tab)} {...(tab === current && { 'aria-current': 'page' })}>
              {tab.title}
            </a>
          ))}
        </nav>
      </header>
      {current === undefined ? (
        <EmptyState title="There is no such part of Operations" />
      ) : (
        <current.View detail={detail} />
      )}
    </div>
  );
}
