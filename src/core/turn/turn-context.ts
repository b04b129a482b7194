/** Memory before a turn: gather, leave out what may not go, pack by relevance, write the prompt and its receipt. */

import { isWithin, narrowed } from '../../domain/kind.ts';
import type { Principal } from '../../domain/principal.ts';
import { queryText } from '../../domain/query-text.ts';
import { LAYERS, type Layer } from '../../domain/scope.ts';
import { mostTrust } from '../../domain/trust.ts';
import {
  DEFAULT_EPISODE_THRESHOLD,
  DEFAULT_PROCEDURE_THRESHOLD,
  DEFAULT_TOKEN_BUDGET,
  TURN_KINDS,
  DEFAULT_TURN_LIMIT,
  DEFAULT_TURN_POLICY,
  DEFAULT_TURN_THRESHOLD,
  type TurnContextInput,
  type TurnContextOutput,
  type TurnReceipt,
} from '../../domain/turn.ts';
import { promptOf } from '../../domain/turn-prompt.ts';
import type { Dependencies } from '../dependencies.ts';
import type { TurnCandidate } from './candidate.ts';
import { gather, type TurnQuestion } from './gather.ts';
import { pack } from './pack.ts';
import { receiptOf } from './receipt.ts';
import { render } from './render.ts';
import { asTold } from './told-order.ts';
import { whoseTurn } from './whose-turn.ts';

/**
 * If a part of memory is unavailable, it says so and continues without. Throws `VALIDATION_FAILED`, `FORBIDDEN` and
 * `MISSING_IDENTIFIER` for what is wrong with the input.
 */
export async function turnContext(
  dependencies: Dependencies,
  principal: Principal,
  input: TurnContextInput,
): Promise<TurnContextOutput> {
  const { message, seen = [], tokenBudget = DEFAULT_TOKEN_BUDGET } = input;
  const question = questionOf(dependencies, principal, input);
  const { candidates, distrusted, absent, beyondLimit, layers, warnings, isDegraded } = await gather(
    dependencies,
    principal,
    question,
  );
  const mayGo = ({ sensitivity }: TurnCandidate): boolean => isWithin(sensitivity, question.maxSensitivity);
  const withheld = candidates.filter((candidate) => !mayGo(candidate));
  dependencies.telemetry?.turnBuilt?.({ isDegraded, withheld: withheld.length });
  const going = candidates.filter(mayGo);
  const packed = pack(
    going.filter(({ isEnded = false }) => !isEnded),
    { message, seen },
    tokenBudget,
    question.query,
  );
  const { tokens } = packed;
  const leftOut = [
    ...packed.leftOut,
    ...going.filter(({ isEnded = false }) => isEnded).map((candidate) => ({ candidate, reason: 'ended' }) as const),
    ...distrusted.map((candidate) => ({ candidate, reason: 'trust' }) as const),
  ];
  const taken = asTold(packed.taken);
  const context = render(taken);
  return {
    prompt: promptOf(context, message),
    context,
    tokens,
    receipt: {
      ...receiptOf({ taken, leftOut, withheld, absent, beyondLimit }),
      tokenBudget,
      tokensUsed: tokens,
      settings: settingsOf(question, layers),
    },
    degraded: isDegraded,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

function questionOf(dependencies: Dependencies, principal: Principal, input: TurnContextInput): TurnQuestion {
  const { clock, limits, turn: policy = DEFAULT_TURN_POLICY } = dependencies;
  const { message, seen = [], layers, working } = input;
  return {
    message,
    seen,
    query: queryText(message, limits.queryLength),
    whose: whoseTurn(principal, input),
    layers,
    working,
    limit: input.limit ?? DEFAULT_TURN_LIMIT,
    kinds: [...new Set(input.kinds ?? TURN_KINDS)],
    threshold: input.threshold ?? DEFAULT_TURN_THRESHOLD,
    episodeThreshold: input.threshold ?? DEFAULT_EPISODE_THRESHOLD,
    procedureThreshold: input.threshold ?? DEFAULT_PROCEDURE_THRESHOLD,
    recentTurns: input.recentTurns ?? 0,
    procedures: input.procedures ?? true,
    facts: input.facts ?? true,
    at: clock.now(),
    preview: input.preview ?? false,
    maxSensitivity: narrowed(policy.maxSensitivity, input.maxSensitivity),
    minTrust: mostTrust(policy.minTrust, input.minTrust),
  };
}

function settingsOf(question: TurnQuestion, layers: readonly Layer[]): TurnReceipt['settings'] {
  const { limit, kinds, threshold, episodeThreshold, procedureThreshold, recentTurns, procedures, facts } = question;
  const { maxSensitivity, minTrust } = question;
  return {
    limit,
    kinds: [...kinds],
    threshold,
    episodeThreshold,
    procedureThreshold,
    recentTurns,
    procedures,
    facts,
    layers: LAYERS.filter((layer) => layers.includes(layer)),
    maxSensitivity,
    minTrust,
  };
}
