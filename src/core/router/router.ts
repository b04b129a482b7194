/** The router: reads through the tiers of memory, writes to the one that is named, searches, consolidates and counts. */

import { invalidField, LaminaError } from '../../domain/error.ts';
import { sessionNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import {
  DEFAULT_WRITE_TIER,
  TIERS,
  type ConsolidateInput,
  type ConsolidateOutput,
  type RoutedValue,
  type RouterDeleteInput,
  type RouterReadInput,
  type RouterSearchInput,
  type RouterSearchOutput,
  type RouterStats,
  type RouterStatsInput,
  type RouterWriteInput,
  type Tier,
} from '../../domain/router.ts';
import { FREQUENT_ACCESSES } from '../../domain/short-term.ts';
import type { AgentMemory } from '../agent-memory/agent-memory.ts';
import type { Dependencies } from '../dependencies.ts';
import { consolidateItem, type FrequentItem } from '../lifecycle/consolidate.ts';
import { ownAgent } from '../own-agent.ts';
import type { Pools } from '../pools/pools.ts';
import type { ShortTerm } from '../short-term/short-term.ts';
import { longTermTier } from './long-term-tier.ts';
import { searchTiers } from './search-tiers.ts';
import { sharedTier } from './shared-tier.ts';
import { shortTermTier } from './short-term-tier.ts';
import { statsOf } from './stats.ts';
import type { Identified, TierAccess } from './tier.ts';
import { workingTier } from './working-tier.ts';

/** Everything throws `FORBIDDEN` where an agent that is asking names another one. */
export interface Router {
  /** What the first tier holds that holds anything; null for none. Throws `MISSING_IDENTIFIER` for a tier that is named. */
  read(principal: Principal, input: RouterReadInput): Promise<RoutedValue | null>;
  /** Throws `MISSING_IDENTIFIER`, and what the tier throws. */
  write(principal: Principal, input: RouterWriteInput): Promise<RoutedValue>;
  /** False when nothing was there. Long-term memory is archived; what is shared is `FORBIDDEN`. */
  delete(principal: Principal, input: RouterDeleteInput): Promise<boolean>;
  search(principal: Principal, input: RouterSearchInput): Promise<RouterSearchOutput>;
  /** Can be repeated at any time: what was consolidated is not short-term memory any more. */
  consolidate(principal: Principal, input: ConsolidateInput): Promise<ConsolidateOutput>;
  stats(principal: Principal, input: RouterStatsInput): Promise<RouterStats>;
}

/** The use cases over which it routes. */
export interface Routed {
  readonly agentMemory: AgentMemory;
  readonly shortTerm: ShortTerm;
  readonly pools: Pools;
}

/** Few enough that a page of large values fits into memory. */
const PAGE = 50;
const MAX_TOLD = 1000;

export function createRouter(dependencies: Dependencies, routed: Routed): Router {
  const tiers: Readonly<Record<Tier, TierAccess>> = {
    working: workingTier(routed.agentMemory),
    short_term: shortTermTier(routed.shortTerm),
    long_term: longTermTier(dependencies),
    shared: sharedTier(dependencies, routed.pools),
  };
  return {
    read: (principal, input) => read(tiers, principal, input),
    write: async (principal, { tier = DEFAULT_WRITE_TIER, ...input }) => {
      if (input.type !== undefined && tier !== 'short_term') {
        throw invalidField('type', 'goes with the short_term tier');
      }
      if (input.ttlSeconds !== undefined && tier === 'long_term') {
        throw invalidField('ttlSeconds', 'does not go with the long_term tier, which keeps things for good');
      }
      const place = identified(principal, input);
      assertIdentified(tier, tiers[tier].missing(place, 'write'));
      return tiers[tier].write(principal, { ...input, ...place });
    },
    delete: async (principal, { tier = DEFAULT_WRITE_TIER, ...input }) => {
      const place = identified(principal, input);
      assertIdentified(tier, tiers[tier].missing(place, 'delete'));
      return tiers[tier].delete(principal, place);
    },
    search: (principal, input) => searchTiers(dependencies, principal, input),
    consolidate: (principal, input) => consolidate(dependencies, principal, input),
    stats: (principal, input) => statsOf(dependencies, routed, principal, input),
  };
}

/** With the agent that is meant. */
function identified<Input extends Omit<Identified, never>>(principal: Principal, input: Input): Input {
  const agentId = ownAgent(principal, input.agentId);
  return { ...input, ...(agentId !== undefined && { agentId }) };
}

function assertIdentified(tier: Tier, missing: string | undefined): void {
  if (missing === undefined) return;
  throw new LaminaError('MISSING_IDENTIFIER', `The ${tier} tier requires ${missing}.`, {
    details: { tier, missing: [missing] },
  });
}

async function read(
  tiers: Readonly<Record<Tier, TierAccess>>,
  principal: Principal,
  { tier: named, ...input }: RouterReadInput,
): Promise<RoutedValue | null> {
  const place = identified(principal, input);
  if (named !== undefined) {
    assertIdentified(named, tiers[named].missing(place, 'read'));
    return tiers[named].read(principal, place);
  }
  for (const tier of TIERS) {
    const found = tiers[tier].missing(place, 'read') === undefined ? await tiers[tier].read(principal, place) : null;
    if (found !== null) return found;
  }
  return null;
}

async function consolidate(
  dependencies: Dependencies,
  principal: Principal,
  { sessionId, agentId: named, minAccesses = FREQUENT_ACCESSES }: ConsolidateInput,
): Promise<ConsolidateOutput> {
  const agentId = ownAgent(principal, named);
  // No other namespace begins with all of one.
  const namespace = sessionNamespace(principal.userId, agentId ?? '', sessionId);
  const counts = { created: 0, updated: 0, merged: 0, unchanged: 0, skipped: 0 };
  const promotions: ConsolidateOutput['promotions'] = [];
  let after: FrequentItem | undefined;
  for (;;) {
    const page = await dependencies.hot.frequent(principal.tenantId, namespace, minAccesses, PAGE, after);
    for (const item of page) {
      const { outcome, memory } = await consolidateItem(dependencies, principal, item);
      counts[outcome] += 1;
      if (promotions.length < MAX_TOLD) {
        promotions.push({ key: item.key, outcome, ...(memory && { memoryId: memory.id }) });
      }
    }
    after = page.at(-1);
    if (after === undefined || page.length < PAGE) break;
  }
  return { sessionId, ...(agentId !== undefined && { agentId }), ...counts, promotions };
}
