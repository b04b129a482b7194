/** Conversations are trees: an edited question and a second answer make branches. Which one is shown. Pure. */

/** From the first to the leaf, by the parents. Empty where there is no such leaf. */
export function branchTo<T>(
  leaf: string | undefined,
  nodes: ReadonlyMap<string, T>,
  parentOf: (node: T) => string | undefined,
): T[] {
  const branch = new Map<string, T>();
  let id = leaf;
  // A node that was there already: somebody edited the file into a circle.
  while (id !== undefined && !branch.has(id)) {
    const node = nodes.get(id);
    if (node === undefined) break;
    branch.set(id, node);
    id = parentOf(node);
  }
  return [...branch.values()].toReversed();
}
