/**
 * The answers of requests, kept for a while: a retry gets the same answer, and changes nothing more. So what was forgotten
 * meanwhile does not come back.
 */

import { canonicalJson, type Json } from '../../domain/json.ts';
import { requestsNamespace } from '../../domain/namespace.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Mutation, StateItem } from '../../domain/state.ts';
import type { Dependencies } from '../dependencies.ts';
import { hashOf } from './item-draft.ts';

/** Longer than anyone retries a request, including after a crash. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** More than the ids of the largest batch. */
const MAX_BYTES = 16 * 1024 * 1024;

interface Request {
  readonly agentId: string;
  readonly requestId?: string | undefined;
}

/**
 * The answer from before, where there is one, else that of `work`. Two at once both work, so `work` has to be one that comes to
 * the same; `told` says how an answer is written down beside one of the other. The same id with another input is
 * another request. What the process did not live to write down is worked out again.
 */
export async function answeredOnce<Answer extends Json>(
  { state, clock }: Pick<Dependencies, 'state' | 'clock'>,
  principal: Principal,
  operation: string,
  request: Request,
  work: () => Promise<Answer>,
  told: (answer: Answer) => Mutation,
): Promise<Answer> {
  const { agentId, requestId } = request;
  if (requestId === undefined) return work();
  const namespace = requestsNamespace(principal.userId, agentId);
  const key = hashOf(operation, canonicalJson(request));
  const before = await state.get(principal, namespace, key);
  if (before !== null) return answerIn<Answer>(before);
  const mutation = told(await work());
  const expiresAt = clock.now() + KEPT_MS;
  return answerIn<Answer>(await state.write(principal, namespace, key, { mutation, expiresAt, maxBytes: MAX_BYTES }));
}

/** Under this key nothing else is ever written. */
function answerIn<Answer extends Json>({ value }: StateItem): Answer {
  return value as Answer;
}
