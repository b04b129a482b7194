/** Facts that hold now of what a message names, as subject or as object, and of who says "I" in it. */

import { factReach, type Fact } from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import { layerPrecedence } from '../../domain/scope.ts';
import { isAtLeast, isStranger } from '../../domain/trust.ts';
import type { Dependencies } from '../dependencies.ts';
import { scopesOf } from '../scoping.ts';
import { nameLexemes } from '../text/lexemes.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import type { TurnCandidate } from './candidate.ts';
import type { TurnQuestion } from './gather.ts';
import { namesIn } from './names-in.ts';
import { Oneself } from './oneself.ts';
import { NOTHING, type Part } from './part.ts';

/** How many are weighed against each other. */
const MAX_READ = 1000;

/** Nearly every message says "I": so many of the sender's facts that share no word with it come along, and no more. */
const MAX_UNASKED = 5;

export async function namedFacts(
  { facts }: Dependencies,
  principal: Principal,
  { query, whose, layers, limit, minTrust, at }: TurnQuestion,
): Promise<Part> {
  const named = new Set(namesIn(query));
  const oneself = new Oneself(principal.userId);
  const nodes = [...new Set([...named, ...oneself.namesIn(query)])];
  const scopes = factReach(principal, scopesOf(whose, layers));
  if (nodes.length === 0 || scopes.length === 0) return NOTHING;
  const edges = await facts.edges(principal, { scopes, nodes, direction: 'both', at, limit: MAX_READ });
  const isNamed = ({ subject, object }: Fact): boolean => named.has(subject) || named.has(object);
  const meant = edges.filter((fact) => isNamed(fact) || oneself.isAbout(fact));
  const found = inOrder([...new Map(meant.map((fact) => [fact.factId, fact])).values()], query, isNamed);
  const trusted = found.filter(({ trust }) => isAtLeast(trust, minTrust));
  const distrusted = found.filter(({ trust }) => !isAtLeast(trust, minTrust));
  const taken = uncrowded(trusted, limit);
  return {
    ...NOTHING,
    candidates: taken.map(factCandidate),
    distrusted: distrusted.slice(0, limit).map(factCandidate),
    beyondLimit: trusted.length - taken.length,
  };
}

/** Of strangers, who come last, no more than half. */
function uncrowded(facts: readonly Fact[], limit: number): Fact[] {
  const own = facts.filter(({ trust }) => !isStranger(trust));
  const strangers = facts.filter(({ trust }) => isStranger(trust)).slice(0, Math.max(1, Math.floor(limit / 2)));
  return [...own, ...strangers].slice(0, limit);
}

/**
 * Those that have most of the words of the message first, then those of the more specific layer, the more certain and the
 * newer ones; of those that are neither named nor asked for the first few.
 */
function inOrder(facts: readonly Fact[], query: string, isNamed: (fact: Fact) => boolean): Fact[] {
  const asked = new Set(stemsOf(query));
  const weighed = facts.map((fact) => {
    const words = stemsOf(`${fact.subject} ${fact.predicate} ${fact.object}`);
    return { fact, matches: words.filter((word) => asked.has(word)).length };
  });
  let unasked = 0;
  return weighed
    .toSorted(
      (a, b) =>
        b.matches - a.matches ||
        layerPrecedence(a.fact.layer) - layerPrecedence(b.fact.layer) ||
        b.fact.confidence - a.fact.confidence ||
        Date.parse(b.fact.createdAt) - Date.parse(a.fact.createdAt) ||
        (a.fact.factId < b.fact.factId ? -1 : 1),
    )
    .filter(({ fact, matches }) => matches > 0 || isNamed(fact) || (unasked += 1) <= MAX_UNASKED)
    .map(({ fact }) => fact);
}

/** As names have them, so that who lives somewhere is asked for where they live, and not for their lives. */
function stemsOf(text: string): string[] {
  return nameLexemes(text).filter((stem) => !STOP_WORDS.has(stem));
}

/** It has no sensitivity of its own: it counts as a memory does of which nobody said any. No model is shown turns of more. */
function factCandidate(fact: Fact): TurnCandidate {
  const { factId: id, subject, predicate, object, layer, trust } = fact;
  return {
    section: 'facts',
    name: { id, layer, trust },
    sensitivity: 'internal',
    trust,
    content: `${subject} ${predicate.replaceAll('_', ' ')} ${object}`,
    span: spanOf(fact),
  };
}

/** That it holds from the day on which it was written says nothing. */
function spanOf({ validFrom, validTo, createdAt }: Fact): string | undefined {
  const [from, to, written] = [validFrom, validTo, createdAt].map((time) => time?.split('T')[0]);
  const since = from === written ? [] : [`since ${from}`];
  const until = to === undefined ? [] : [`until ${to}`];
  return since.length + until.length === 0 ? undefined : [...since, ...until].join(', ');
}
