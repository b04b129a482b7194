/** What memory does, gathered: one method per use case, each in a folder of its own. */

import type { GetInput, ListInput, ListOutput, Version, VersionsInput } from '../domain/browse.ts';
import type { Entry } from '../domain/entry.ts';
import type { DeleteInput, ForgetInput } from '../domain/forget.ts';
import type { RememberInput, RememberOutput } from '../domain/extraction.ts';
import type { Principal } from '../domain/principal.ts';
import type { PromoteInput, PromoteOutput } from '../domain/promotion.ts';
import type { SearchInput, SearchOutput } from '../domain/recall.ts';
import type { AddInput, AddOutput, ArchiveInput, UpdateInput, UpdateOutput } from '../domain/remember.ts';
import type { TurnContextInput, TurnContextOutput } from '../domain/turn.ts';
import type { Administration } from './admin/administration.ts';
import type { Bundles } from './bundle/bundles.ts';
import type { ContextEntries } from './contexts/context-entries.ts';
import type { ContextSnapshots } from './contexts/context-snapshots.ts';
import type { Contexts } from './contexts/contexts.ts';
import type { Keys } from './admin/keys.ts';
import type { Knowledge } from './knowledge/sync-knowledge.ts';
import type { Maintenance } from './maintenance/maintenance.ts';
import type { Events } from './events/events.ts';
import type { Receipts } from './receipts/receipts.ts';
import type { OpenSpec } from './openspec/openspec.ts';
import type { PlanContexts } from './plans/plan-contexts.ts';
import type { Plans } from './plans/plans.ts';
import type { Pools } from './pools/pools.ts';
import type { Workflows } from './pools/workflows.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { Tasks } from './tasks/tasks.ts';
import type { Episodic } from './episodic/episodic.ts';
import type { Facts } from './facts/facts.ts';
import type { Inspection } from './inspection/inspection.ts';
import type { Items } from './items/items.ts';
import type { Procedural } from './procedural/procedural.ts';
import type { Semantic } from './semantic/semantic.ts';
import type { AgentMemory } from './agent-memory/agent-memory.ts';
import type { Router } from './router/router.ts';
import type { ShortTerm } from './short-term/short-term.ts';
import type { QuarantineReview } from './trust/quarantine.ts';
import type { Working } from './working/working.ts';

/** What it does with entries. */
export interface EntryCore {
  add(principal: Principal, input: AddInput): Promise<AddOutput>;
  addMany(principal: Principal, inputs: readonly AddInput[]): Promise<AddOutput[]>;
  search(principal: Principal, input: SearchInput): Promise<SearchOutput>;
  list(principal: Principal, input: ListInput): Promise<ListOutput>;
  get(principal: Principal, input: GetInput): Promise<Entry | null>;
  update(principal: Principal, input: UpdateInput): Promise<UpdateOutput>;
  archive(principal: Principal, input: ArchiveInput): Promise<Entry>;
  restore(principal: Principal, input: ArchiveInput): Promise<Entry>;
  promote(principal: Principal, input: PromoteInput): Promise<PromoteOutput>;
  delete(principal: Principal, input: DeleteInput): Promise<boolean>;
  forget(principal: Principal, input: ForgetInput): Promise<number>;
  versions(principal: Principal, input: VersionsInput): Promise<Version[]>;
}

export interface Core extends EntryCore {
  remember(principal: Principal, input: RememberInput): Promise<RememberOutput>;
  /** What memory brings along for a turn; where it cannot be asked, nothing and a warning. */
  turnContext(principal: Principal, input: TurnContextInput): Promise<TurnContextOutput>;
  readonly semantic: Semantic;
  readonly episodic: Episodic;
  readonly items: Items;
  readonly procedural: Procedural;
  readonly working: Working;
  readonly shortTerm: ShortTerm;
  readonly agentMemory: AgentMemory;
  readonly router: Router;
  readonly tasks: Tasks;
  readonly plans: Plans;
  readonly planContexts: PlanContexts;
  readonly sessions: Sessions;
  readonly facts: Facts;
  readonly pools: Pools;
  readonly workflows: Workflows;
  readonly events: Events;
  readonly keys: Keys;
  readonly admin: Administration;
  readonly bundles: Bundles;
  readonly contexts: Contexts;
  readonly contextEntries: ContextEntries;
  readonly contextSnapshots: ContextSnapshots;
  readonly maintenance: Maintenance;
  readonly knowledge: Knowledge;
  readonly openspec: OpenSpec;
  readonly quarantine: QuarantineReview;
  readonly receipts: Receipts;
  readonly inspection: Inspection;
}
