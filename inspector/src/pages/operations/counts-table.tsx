/** Memories by layer and kind. */

import type { VNode } from 'preact';
import { KINDS } from '../../../../src/domain/kind.ts';
import { LAYERS, type Layer } from '../../../../src/domain/scope.ts';
import { ROOT } from '../../app/location.ts';
import { LayerBadge } from '../../components/badges.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { rememberCommand } from '../../components/remember-command.ts';
import { countText } from './figures.ts';
import type { Stats } from './answers.ts';

type Groups = Stats['groups'];

type Part = Partial<Omit<Groups[number], 'count' | 'created'>>;

function countOf(groups: Groups, part: Part, what: 'count' | 'created' = 'count'): number {
  const names = Object.keys(part) as (keyof Part)[];
  return groups
    .filter((group) => names.every((name) => group[name] === part[name]))
    .reduce((sum, group) => sum + group[what], 0);
}

interface CountsTableProps {
  readonly groups: Groups;
  /** Browse shows what one may see oneself: of a whole tenant the counts would not be the same there. */
  readonly isLinked: boolean;
  /** What growth is of. */
  readonly days: string;
}

export function CountsTable({ groups, isLinked, days }: CountsTableProps): VNode {
  if (groups.length === 0) {
    return (
      <EmptyState title="Nothing is remembered yet" command={rememberCommand()}>
        <p>Paste this, and it counts one.</p>
      </EmptyState>
    );
  }
  const layers = LAYERS.filter((layer) => countOf(groups, { layer }) > 0);
  const most = Math.max(...layers.map((layer) => countOf(groups, { layer })));
  const isAnyInContext = groups.some(({ isInContext }) => isInContext);
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Memories by layer and kind">
      <table class="table counts-table">
        <thead>
          <tr>
            <th scope="col">Layer</th>
            <th scope="col" class="counts-bars">
              <span class="visually-hidden">Share</span>
            </th>
            <th scope="col" class="right">
              all
            </th>
            {KINDS.map((kind) => (
              <th scope="col" key={kind} class="right">
                <span class={`badge-plain kind-${kind}`}>{kind}</span>
              </th>
            ))}
            <th scope="col" class="right">
              archived
            </th>
            {isAnyInContext && (
              <th scope="col" class="right">
                in contexts
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {layers.map((layer) => (
            <tr key={layer}>
              <th scope="row">
                <LayerBadge layer={layer} />
              </th>
              <td class="counts-bars">
                <KindBar groups={groups} layer={layer} most={most} />
              </td>
              <td class="right numeric">
                <b>{countText(countOf(groups, { layer }))}</b>
                <Grown created={countOf(groups, { layer }, 'created')} />
              </td>
              {KINDS.map((kind) => (
                <td key={kind} class="right numeric">
                  <Count
                    count={countOf(groups, { layer, kind })}
                    href={isLinked ? `${ROOT}/browse?layer=${layer}&kinds=${kind}` : undefined}
                  />
                  <Grown created={countOf(groups, { layer, kind }, 'created')} />
                </td>
              ))}
              <td class="right numeric">
                <Count
                  count={countOf(groups, { layer, status: 'archived' })}
                  href={isLinked ? `${ROOT}/browse?layer=${layer}&status=archived` : undefined}
                />
              </td>
              {isAnyInContext && (
                <td class="right numeric">
                  <Count count={countOf(groups, { layer, isInContext: true })} href={undefined} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="table-note quiet">
        <span class="grown">+</span> is what was created in the last {days} days, of what is there.
      </p>
    </div>
  );
}

function Count({ count, href }: { readonly count: number; readonly href: string | undefined }): VNode {
  if (count === 0) return <span class="quiet">0</span>;
  return href === undefined ? <>{countText(count)}</> : <a href={href}>{countText(count)}</a>;
}

/** What came in the days that are looked at. */
function Grown({ created }: { readonly created: number }): VNode {
  return (
    <span class="grown">
      {created > 0 && `+${countText(created)}`}
      {created > 0 && <span class="visually-hidden"> created lately</span>}
    </span>
  );
}

interface KindBarProps {
  readonly groups: Groups;
  readonly layer: Layer;
  readonly most: number;
}

function KindBar({ groups, layer, most }: KindBarProps): VNode {
  return (
    <div class="kind-bar" aria-hidden="true">
      {KINDS.map((kind) => (
        <span
          key={kind}
          class={`kind-${kind}`}
          style={{ width: `${(countOf(groups, { layer, kind }) / most) * 100}%` }}
        />
      ))}
    </div>
  );
}
