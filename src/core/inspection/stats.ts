/** How much memory there is, of what, and how it grew. */

import type { DayOfGrowth, StatsInput, StatsOutput } from '../../domain/inspection.ts';
import { KINDS } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import { layerPrecedence } from '../../domain/scope.ts';
import { assertAdmin } from '../admin/assert-admin.ts';
import type { Dependencies } from '../dependencies.ts';
import { isoAt } from '../records/record.ts';

const MS_PER_DAY = 86_400_000;

export async function stats(
  { inspector, clock }: Pick<Dependencies, 'inspector' | 'clock'>,
  principal: Principal,
  { of, days }: StatsInput,
): Promise<StatsOutput> {
  if (of === 'tenant') assertAdmin(principal);
  const now = clock.now();
  const today = Math.floor(now / MS_PER_DAY);
  const first = today - days + 1;
  const since = first * MS_PER_DAY;
  const tally =
    of === 'tenant'
      ? await inspector.tallyTenant(principal.tenantId, since, now)
      : await inspector.tally(principal, since, now);
  const { sizes, spaces, bytes } = tally;
  const groups = tally.groups.toSorted(
    (a, b) =>
      layerPrecedence(a.layer) - layerPrecedence(b.layer) ||
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      (a.status < b.status ? -1 : a.status > b.status ? 1 : 0) ||
      Number(a.isInContext) - Number(b.isInContext),
  );
  return {
    of,
    countedAt: isoAt(now),
    total: groups.reduce((sum, { count }) => sum + count, 0),
    groups,
    growth: everyDay(tally.growth, first, days),
    sizes,
    ...(spaces && { spaces: [...spaces] }),
    ...(bytes !== undefined && { bytes }),
  };
}

/** Also those on which nothing happened, the oldest first. */
function everyDay(growth: readonly DayOfGrowth[], first: number, days: number): DayOfGrowth[] {
  const byDay = new Map(growth.map((each) => [each.day, each]));
  return Array.from({ length: days }, (_, index) => {
    const day = isoAt((first + index) * MS_PER_DAY).slice(0, 10);
    return byDay.get(day) ?? { day, created: 0, deleted: 0 };
  });
}
