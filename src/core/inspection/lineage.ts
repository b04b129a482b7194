/** What a memory came from and what came of it, step by step in both directions, as far as who asks may see it. */

import type { Entry } from '../../domain/entry.ts';
import type { Fact } from '../../domain/fact.ts';
import type { LineageInput, LineageNode, LineageOutput } from '../../domain/inspection.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { visible } from '../facts/change-fact.ts';
import { inspected, isOpen } from './inspected.ts';
import { labelOf } from './label.ts';
import { edgesAmong, factsOf, productsOf, sourcesOf } from './lineage-edges.ts';

/** More than anybody reads, and an end, whatever the data says. */
const MAX_NODES = 200;

type Needs = Pick<Dependencies, 'entries' | 'facts' | 'inspector'>;

interface Walk {
  /** By id, each with how far it is from where the walk began. */
  readonly found: Map<string, { readonly entry: Entry; readonly depth: number }>;
  readonly hidden: Set<string>;
  isTruncated: boolean;
}

export async function lineage(needs: Needs, principal: Principal, { id, depth }: LineageInput): Promise<LineageOutput> {
  const entry = await inspected(needs, principal, id);
  const walk: Walk = { found: new Map([[id, { entry, depth: 0 }]]), hidden: new Set(), isTruncated: false };
  await follow(needs, principal, walk, entry, { steps: depth, sign: -1, next: async (at) => at.flatMap(sourcesOf) });
  await follow(needs, principal, walk, entry, {
    steps: depth,
    sign: 1,
    next: async (at) => [...at.flatMap(productsOf), ...(await promotedFrom(needs, principal, at))],
  });
  const facts = await factsAround(needs, principal, walk);
  const memories = [...walk.found.values()];
  return {
    nodes: [...memories.map(({ entry: one, depth: at }) => memoryNode(one, at)), ...facts.nodes],
    edges: [...edgesAmong(memories.map(({ entry: one }) => one)), ...facts.edges],
    hiddenCount: walk.hidden.size,
    isTruncated: walk.isTruncated,
  };
}

interface Direction {
  readonly steps: number;
  readonly sign: 1 | -1;
  readonly next: (at: readonly Entry[]) => Promise<string[]>;
}

async function follow(
  { entries }: Needs,
  principal: Principal,
  walk: Walk,
  start: Entry,
  { steps, sign, next }: Direction,
): Promise<void> {
  let at: readonly Entry[] = [start];
  for (let step = 1; at.length > 0; step += 1) {
    const named = new Set(await next(at));
    const ids = [...named].filter((id) => !walk.found.has(id) && !walk.hidden.has(id));
    if (ids.length === 0) return;
    const room = MAX_NODES - walk.found.size;
    if (step > steps || ids.length > room) walk.isTruncated = true;
    if (step > steps || room <= 0) return;
    const asked = ids.slice(0, room);
    const open = (await entries.find(principal, asked)).filter((entry) => isOpen(principal, entry));
    for (const entry of open) walk.found.set(entry.id, { entry, depth: sign * step });
    for (const id of asked) if (!walk.found.has(id)) walk.hidden.add(id);
    at = open;
  }
}

/**
 * A copy in another layer names what it was made from, and not the other way round. Of copies that others made for
 * themselves nothing is told, not even that they are there.
 */
async function promotedFrom(
  { entries, inspector }: Needs,
  principal: Principal,
  at: readonly Entry[],
): Promise<string[]> {
  const ids = at.map(({ id }) => id);
  const copies = await entries.find(principal, await inspector.promotedFrom(principal, ids, MAX_NODES));
  return copies.filter((entry) => isOpen(principal, entry)).map(({ id }) => id);
}

interface FactsAround {
  readonly nodes: LineageNode[];
  readonly edges: LineageOutput['edges'];
}

/** Facts that were extracted from the memory, or from what came of it. */
async function factsAround({ facts }: Needs, principal: Principal, walk: Walk): Promise<FactsAround> {
  const around: FactsAround = { nodes: [], edges: [] };
  const seen = new Set<string>();
  for (const { entry, depth } of walk.found.values()) {
    if (depth < 0) continue;
    for (const id of factsOf(entry)) {
      if (walk.found.size + around.nodes.length >= MAX_NODES) {
        walk.isTruncated = true;
        return around;
      }
      const fact = seen.has(id) ? undefined : visible(principal, await facts.find(principal, id));
      seen.add(id);
      if (fact) around.nodes.push(factNode(fact, depth + 1));
      else if (fact === null) walk.hidden.add(id);
      if (!walk.hidden.has(id)) around.edges.push({ from: entry.id, to: id, relation: 'extracted' });
    }
  }
  return around;
}

function memoryNode({ id, content, layer, kind, status, createdAt }: Entry, depth: number): LineageNode {
  const shelf = status === 'archived' || status === 'quarantined' ? status : 'active';
  return { id, type: 'memory', depth, label: labelOf(content), layer, kind, status: shelf, createdAt };
}

function factNode({ factId, subject, predicate, object, layer, createdAt }: Fact, depth: number): LineageNode {
  return { id: factId, type: 'fact', depth, label: labelOf(`${subject} ${predicate} ${object}`), layer, createdAt };
}
