/** Facts as a graph: what they are about are its nodes, the facts between two of them an edge. */

import type { Fact } from '../../../../src/domain/fact.ts';
import type { Layer } from '../../../../src/domain/scope.ts';

export interface FactNode {
  readonly name: string;
  /** Where most of its facts lie. */
  layer: Layer;
  /** Of which type most of them are. */
  factType: string;
  /** How many facts name it, whenever they hold. */
  degree: number;
  x: number;
  y: number;
  /** Held there while somebody drags it. */
  fx?: number | null;
  fy?: number | null;
}

export interface FactEdge {
  readonly source: FactNode;
  readonly target: FactNode;
  readonly facts: TimedFact[];
  /** There is one the other way too: both are bent, so that each can be seen. */
  isBent: boolean;
}

/** A fact with its span in milliseconds. */
export interface TimedFact extends Fact {
  readonly from: number;
  readonly to: number;
}

export interface FactGraph {
  readonly nodes: readonly FactNode[];
  readonly edges: readonly FactEdge[];
  readonly byName: ReadonlyMap<string, FactNode>;
}

export function timed(fact: Fact): TimedFact {
  return { ...fact, from: Date.parse(fact.validFrom), to: fact.validTo === null ? Infinity : Date.parse(fact.validTo) };
}

export function holdsAt({ from, to }: TimedFact, at: number): boolean {
  return from <= at && at < to;
}

/** Nodes that are in the graph before keep their places; new ones begin beside what they hang on. */
export function graphOf(facts: Iterable<TimedFact>, before?: FactGraph): FactGraph {
  const nodes = new Map<string, FactNode>();
  const edges = new Map<string, FactEdge>();
  const layers = createTally<Layer>();
  const types = createTally<string>();
  const nodeOf = (name: string, { layer, factType }: TimedFact, weight: number): FactNode => {
    const node: FactNode = nodes.get(name) ?? { name, layer, factType, degree: 0, ...placeOf(name, before) };
    node.degree += 1;
    nodes.set(name, node);
    node.layer = layers.count(name, layer, 1);
    node.factType = types.count(name, factType, weight);
    return node;
  };
  for (const fact of facts) {
    // A type says more about the subject than about the object.
    const [source, target] = [nodeOf(fact.subject, fact, 2), nodeOf(fact.object, fact, 1)];
    const key = keyOf(fact.subject, fact.object);
    const edge = edges.get(key) ?? { source, target, facts: [], isBent: false };
    edge.facts.push(fact);
    edges.set(key, edge);
  }
  for (const edge of edges.values()) edge.isBent = edges.has(keyOf(edge.target.name, edge.source.name));
  const graph = { nodes: [...nodes.values()], edges: [...edges.values()], byName: nodes };
  placeNewcomers(graph);
  return graph;
}

function keyOf(subject: string, object: string): string {
  return JSON.stringify([subject, object]);
}

interface Tally<T> {
  /** Gives what has the most now. */
  count(name: string, value: T, weight: number): T;
}

function createTally<T>(): Tally<T> {
  const counts = new Map<string, Map<T, number>>();
  return {
    count: (name, value, weight) => {
      const own = counts.get(name) ?? new Map<T, number>();
      counts.set(name, own.set(value, (own.get(value) ?? 0) + weight));
      let best = value;
      for (const [other, count] of own) if (count > (own.get(best) ?? 0)) best = other;
      return best;
    },
  };
}

function placeOf(name: string, before: FactGraph | undefined): { x: number; y: number } {
  const { x, y } = before?.byName.get(name) ?? { x: Number.NaN, y: Number.NaN };
  return { x, y };
}

const SPACING = 14;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

function placeNewcomers({ nodes, edges }: FactGraph): void {
  const neighbours = new Map<FactNode, FactNode>();
  for (const { source, target } of edges) {
    if (!Number.isNaN(source.x)) neighbours.set(target, source);
    if (!Number.isNaN(target.x)) neighbours.set(source, target);
  }
  const places = nodes.map((node, at) => {
    const near = neighbours.get(node);
    const radius = near === undefined ? SPACING * Math.sqrt(at + 0.5) : SPACING * 2;
    const angle = at * GOLDEN_ANGLE;
    return { x: (near?.x ?? 0) + radius * Math.cos(angle), y: (near?.y ?? 0) + radius * Math.sin(angle) };
  });
  for (const [at, node] of nodes.entries()) if (Number.isNaN(node.x)) Object.assign(node, places[at]);
}

/** Every moment at which something begins or ceases to hold, in order. */
export function changesOf(facts: Iterable<TimedFact>): number[] {
  const moments = new Set<number>();
  for (const { from, to } of facts) {
    moments.add(from);
    if (to !== Infinity) moments.add(to);
  }
  return [...moments].toSorted((one, other) => one - other);
}
