/** Which namespaces a listing means, and in which order they come. */

import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint';
import { invalidField } from '../domain/error.ts';

const ANY = '*';

/** Of the namespaces that there are, those that are asked for: cut to their depth, each once, in order. */
export function matchNamespaces(
  all: readonly (readonly string[])[],
  { matchConditions = [], maxDepth }: Pick<ListNamespacesOperation, 'matchConditions' | 'maxDepth'>,
): string[][] {
  const found = new Map<string, string[]>();
  for (const namespace of all) {
    if (!matchConditions.every((condition) => meets(namespace, condition))) continue;
    const cut = namespace.slice(0, maxDepth);
    found.set(JSON.stringify(cut), cut);
  }
  return [...found.values()].toSorted(inOrder);
}

/** As far as every namespace that meets the conditions begins the same; where they say nothing of it, it is empty. */
export function commonPrefix(conditions: readonly MatchCondition[] = []): string[] {
  const prefixes = conditions.filter(({ matchType }) => matchType === 'prefix').map(({ path }) => literal(path));
  return prefixes.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

function literal(path: readonly string[]): string[] {
  const end = path.indexOf(ANY);
  return path.slice(0, end === -1 ? path.length : end);
}

function meets(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (path.length > namespace.length) return false;
  const start = startOf(matchType, namespace.length - path.length);
  return path.every((label, index) => label === ANY || label === namespace[start + index]);
}

function startOf(matchType: string, end: number): number {
  if (matchType === 'prefix') return 0;
  if (matchType === 'suffix') return end;
  throw invalidField('matchConditions', `there is no "${matchType}"; there is prefix, suffix`);
}

/** That of LangGraph's own store in memory, and a definite one where that has none. */
function inOrder(a: readonly string[], b: readonly string[]): number {
  return a.join(':').localeCompare(b.join(':')) || (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
}
