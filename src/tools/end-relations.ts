/** Ending a current relation, in every layer where it holds. */

import { LaminaError } from '../domain/error.ts';
import type { Fact } from '../domain/fact.ts';
import type { Layer } from '../domain/scope.ts';
import type { ToolContext } from './memory-tool.ts';
import { isTrusted, reach } from './tool-reach.ts';

/** Layers times types of facts that say the same: more than there should ever be. */
const MAX_ENDED = 100;

interface Ending {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** Only in this one. Default: in all that are open. */
  readonly layer?: Layer | undefined;
}

/** Ends at least one. Throws `NOT_FOUND` if none holds, and `VALIDATION_FAILED` if one began later: then none is ended. */
export async function endRelations(context: ToolContext, ending: Ending, until: string): Promise<[Fact, ...Fact[]]> {
  const [first, ...others] = await standing(context, ending);
  if (first === undefined) throw noneHolds(ending);
  for (const fact of [first, ...others]) assertBegan(fact, until);
  const ended: [Fact, ...Fact[]] = [await end(context, first, until)];
  for (const fact of others) ended.push(await end(context, fact, until));
  return ended;
}

async function standing(context: ToolContext, { layer, ...said }: Ending): Promise<Fact[]> {
  const place = { ...(layer !== undefined && { layer }), ...reach(context) };
  const { facts } = await context.memory.facts.list({ ...said, ...place, limit: MAX_ENDED });
  return facts.filter((fact) => isTrusted(context, fact));
}

/**
 * If nobody said since when it holds, it was assumed to begin when it was remembered. An earlier end shows that this was a
 * guess: its start is then unknown, and it held at no known time.
 */
function end({ memory }: ToolContext, fact: Fact, until: string): Promise<Fact> {
  const { factId } = fact;
  const isGuessed = Date.parse(until) < Date.parse(fact.validFrom);
  return memory.facts.update({ factId, validTo: until, ...(isGuessed && { validFrom: until }) });
}

function assertBegan({ factId, validFrom, createdAt, subject, predicate, object }: Fact, until: string): void {
  if (validFrom === createdAt || Date.parse(until) >= Date.parse(validFrom)) return;
  throw new LaminaError(
    'VALIDATION_FAILED',
    `until: "${subject} ${predicate} ${object}" is remembered to hold since ${validFrom}, and cannot have ended before.`,
    {
      details: { problems: [{ path: 'until', message: `before ${validFrom}` }], id: factId, since: validFrom },
      advice:
        `If that start is wrong, remove the relation with memory_forget (id ${factId}) and give both since and ` +
        'until. To remember an earlier period as well, give both without removing it.',
    },
  );
}

function noneHolds({ subject, predicate, object }: Ending): LaminaError {
  return new LaminaError(
    'NOT_FOUND',
    `No relation "${subject} ${predicate} ${object}" holds now. Look it up with memory_look_up, or give since as well ` +
      'to remember one that is over.',
    { advice: 'Check how it is spelled.' },
  );
}
