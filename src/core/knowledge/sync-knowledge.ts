/** Bringing entries in line with a set of knowledge that lies elsewhere: add, update, mark what is gone. */

import type { Entry } from '../../domain/entry.ts';
import { invalidField } from '../../domain/error.ts';
import {
  MAX_SYNC_ITEMS,
  type KnowledgeItem,
  type SyncedItem,
  type SyncKnowledgeInput,
  type SyncKnowledgeOutput,
} from '../../domain/knowledge.ts';
import { assertWithin } from '../../domain/limits.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeKey, scopeOf, type Scope } from '../../domain/scope.ts';
import { numbered } from '../../domain/numbered.ts';
import { hasExpired } from '../../domain/time-to-live.ts';
import type { Dependencies } from '../dependencies.ts';
import { addDrafts } from '../remember/add.ts';
import { identityOf, type Draft } from '../remember/draft.ts';
import { resolve } from '../remember/resolve.ts';
import { identifiersOf } from '../scoping.ts';
import { knowledgeDraft } from './knowledge-draft.ts';
import { findOrphans, markOrphan } from './orphans.ts';

/** Written whole or not at all; a sync that was cut short can be repeated. */
const CHUNK = 100;

export interface Knowledge {
  /** A second run with the same items changes nothing. Throws before it has changed anything where an item is bad. */
  sync(principal: Principal, input: SyncKnowledgeInput): Promise<SyncKnowledgeOutput>;
}

export function createKnowledge(dependencies: Dependencies): Knowledge {
  return { sync: (principal, input) => sync(dependencies, principal, input) };
}

async function sync(
  dependencies: Dependencies,
  principal: Principal,
  input: SyncKnowledgeInput,
): Promise<SyncKnowledgeOutput> {
  const { set, items, dryRun = false } = input;
  assertWithin('LIMIT_EXCEEDED', 'The set', items.length, MAX_SYNC_ITEMS, 'items');
  const drafts = draftsOf(dependencies, principal, input);
  const scopes = scopesOf(principal, input, drafts);
  const synced: SyncedItem[] = [];
  const chunk = Math.min(CHUNK, dependencies.limits.batchSize);
  for (let from = 0; from < items.length; from += chunk) {
    const part = { ...input, items: items.slice(from, from + chunk) };
    synced.push(...(await syncChunk(dependencies, principal, part, drafts.slice(from, from + chunk))));
  }
  const orphans: SyncedItem[] = [];
  if (input.orphans !== 'keep') {
    const present = new Set(synced.flatMap(({ id }) => id ?? []));
    for (const entry of await findOrphans(dependencies, principal, set, scopes, present)) {
      orphans.push(await markOrphan(dependencies, principal, entry, input));
    }
  }
  return { set, dryRun, counts: countsOf(synced, orphans), items: synced, orphans };
}

/** All of them before anything is written, so that one that is bad changes nothing. */
function draftsOf(dependencies: Dependencies, principal: Principal, input: SyncKnowledgeInput): Draft[] {
  const seen = new Set<string>();
  const now = new Date(dependencies.clock.now()).toISOString();
  return input.items.map((item, index) => {
    const draft = numbered('items', index, () => knowledgeDraft(dependencies, principal, input, item, null, now));
    const name = `${scopeKey(draft.placement.scope)} ${draft.externalId}`;
    if (seen.has(name)) throw invalidField(`items.${index}`, 'the same sourceType and sourceId as an item before it');
    seen.add(name);
    return draft;
  });
}

/** Where items lie, and where they would. Throws where that cannot be told. */
function scopesOf(
  principal: Principal,
  { layer, identifiers }: SyncKnowledgeInput,
  drafts: readonly Draft[],
): readonly Scope[] {
  if (layer === undefined && drafts.length === 0)
    throw invalidField('layer', 'missing, and there are no items to tell');
  const own = layer === undefined ? [] : [scopeOf(layer, identifiersOf(principal, identifiers))];
  const all = [...own, ...drafts.map(({ placement }) => placement.scope)];
  return [...new Map(all.map((scope) => [scopeKey(scope), scope])).values()];
}

async function syncChunk(
  dependencies: Dependencies,
  principal: Principal,
  input: SyncKnowledgeInput,
  unknown: readonly Draft[],
): Promise<SyncedItem[]> {
  const { clock, entries } = dependencies;
  const known = await entries.findSame(principal, unknown.map(identityOf));
  const now = new Date(clock.now()).toISOString();
  const steps = input.items.map((item, at) => {
    const existing = livingOf(known[at], now);
    const draft = knowledgeDraft(dependencies, principal, input, item, existing, now);
    const { status } = resolve(principal, draft, existing, () => '', now, dependencies.quarantine);
    return { item, draft, status, id: existing?.id };
  });
  const news = steps.filter(({ status }) => status !== 'unchanged');
  if (input.dryRun || news.length === 0) return steps.map(({ item, status, id }) => syncedOf(item, status, id));
  const outputs = await addDrafts(
    dependencies,
    principal,
    news.map(({ draft }) => draft),
  );
  const written = new Map(news.map((step, at) => [step, outputs[at]]));
  return steps.map((step) => {
    const output = written.get(step);
    return syncedOf(step.item, output?.status ?? step.status, output?.memory.id ?? step.id);
  });
}

/** What has expired makes way. */
function livingOf(entry: Entry | null | undefined, now: string): Entry | null {
  return entry && !hasExpired(entry, now) ? entry : null;
}

function syncedOf(
  { sourceType, sourceId }: KnowledgeItem,
  status: SyncedItem['status'],
  id: string | undefined,
): SyncedItem {
  return { sourceType, sourceId, status, ...(id !== undefined && { id }) };
}

function countsOf(items: readonly SyncedItem[], orphans: readonly SyncedItem[]): SyncKnowledgeOutput['counts'] {
  const count = (list: readonly SyncedItem[], status: SyncedItem['status']): number =>
    list.filter((item) => item.status === status).length;
  return {
    created: count(items, 'created'),
    updated: count(items, 'updated'),
    unchanged: count(items, 'unchanged'),
    orphaned: count(orphans, 'orphaned'),
  };
}
