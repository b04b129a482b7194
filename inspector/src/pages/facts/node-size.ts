/** How large a node is: by how many facts name it. */

import type { FactNode } from './fact-graph.ts';

function radiusOf({ degree }: FactNode): number {
  return Math.min(15, 3.5 + 1.9 * Math.sqrt(degree));
}

/** On the screen nodes grow more slowly than the distances between them. */
export function sizeOf(node: FactNode, scale: number): number {
  return radiusOf(node) * Math.min(1.5, Math.max(0.35, Math.sqrt(scale)));
}
