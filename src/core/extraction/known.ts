/** What memory holds already that bears on a conversation, so that it is not written down again. */

import { reachOf } from '../../domain/access.ts';
import type { Entry } from '../../domain/entry.ts';
import type { RememberInput } from '../../domain/extraction.ts';
import { factReach, type Fact } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import { scopeOf, type Scope } from '../../domain/scope.ts';
import type { Reach } from '../../ports/entry-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { gather } from '../recall/gather.ts';
import { scopesOf } from '../scoping.ts';
import { pieceText, type Window } from './windows.ts';

const MEMORIES = 20;
const FACTS = 40;

/** A longer question is no clearer. */
const QUERY_CHARACTERS = 2000;

/** Names of things are one to three words; looked for are only so many. */
const NAME_WORDS = 3;
const MAX_NAMES = 300;
const WORD = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}_.'’-]*/gu;

/** Whoever speaks as user is called so. */
const SPEAKER = 'user';

/** Where what is extracted goes, and where else something may be known. */
export interface Places {
  /** Of knowledge and facts. */
  readonly scope: Scope;
  /** Of rules. */
  readonly agent: Scope;
  /** All that the caller may look into, most specific first. */
  readonly open: readonly Scope[];
}

/** Throws `MISSING_IDENTIFIER` where the layer lacks its own. */
export function placesOf(principal: Principal, input: RememberInput): Places {
  const { layer = 'user', agentId = principal.agentId, sessionId, identifiers } = input;
  const own = {
    companyId: principal.tenantId,
    ...identifiers,
    userId: principal.userId,
    ...(agentId !== undefined && { agentId }),
    ...(sessionId !== undefined && { sessionId }),
  };
  return { scope: scopeOf(layer, own), agent: scopeOf('agent', own), open: scopesOf(own, undefined) };
}

export interface Known {
  readonly memories: readonly Entry[];
  /** Those that hold, where new ones go. */
  readonly facts: readonly Fact[];
}

/** No more than a language model may be shown: nothing that is confidential or restricted. */
export async function knownOf(
  dependencies: Dependencies,
  principal: Principal,
  places: Places,
  window: Window,
): Promise<Known> {
  const texts = window.pieces.map(pieceText);
  const reach: Reach = {
    partitions: reachOf(principal, places.open, ['semantic', 'procedural']),
    sensitivities: ['public', 'internal'],
  };
  const [memories, facts] = await Promise.all([
    knownMemories(dependencies, principal, reach, texts.join('\n')),
    knownFacts(dependencies, principal, places.scope, texts),
  ]);
  return { memories, facts };
}

async function knownMemories(
  dependencies: Dependencies,
  principal: Principal,
  reach: Reach,
  text: string,
): Promise<Entry[]> {
  const query = text.slice(0, QUERY_CHARACTERS).toWellFormed();
  const { found } = await gather(dependencies, dependencies.entries, principal, reach, query, 'hybrid', MEMORIES);
  const ids = found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MEMORIES)
    .map(({ id }) => id);
  const entries = new Map((await dependencies.entries.find(principal, ids)).map((entry) => [entry.id, entry]));
  return ids.flatMap((id) => entries.get(id) ?? []);
}

/** Those about what is named in the texts or about the user, and then the most certain ones. */
async function knownFacts(
  { facts, clock }: Dependencies,
  principal: Principal,
  scope: Scope,
  texts: readonly string[],
): Promise<Fact[]> {
  const scopes = factReach(principal, [scope]);
  const at = clock.now();
  const nodes = [SPEAKER, principal.userId, ...namesIn(texts)].slice(0, MAX_NAMES);
  const [named, surest] = await Promise.all([
    facts.edges(principal, { scopes, nodes: [...new Set(nodes)], direction: 'both', at, limit: FACTS }),
    facts.list(principal, { scopes, time: { at }, limit: FACTS }),
  ]);
  return [...new Map([...named, ...surest].map((fact) => [fact.factId, fact])).values()].slice(0, FACTS);
}

/** Whatever could be a name: words and what stands beside them, as written and in small letters. */
function namesIn(texts: readonly string[]): string[] {
  const names = new Set<string>();
  for (const text of texts) {
    const words = text.match(WORD) ?? [];
    for (const [index] of words.entries()) {
      for (let count = 1; count <= NAME_WORDS; count += 1) {
        const name = words.slice(index, index + count).join(' ');
        names.add(name).add(name.toLowerCase());
        if (names.size >= MAX_NAMES) return [...names];
      }
    }
  }
  return [...names];
}
