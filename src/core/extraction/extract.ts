/** Running a language model over turns that it has not processed yet, window by window, within a time limit. */

import { z } from 'zod';
import { partitionOf } from '../../domain/access.ts';
import { costSchema, type Cost, type Entry } from '../../domain/entry.ts';
import { LaminaError } from '../../domain/error.ts';
import type { Dropped, RememberInput, RememberOutput } from '../../domain/extraction.ts';
import { inTime } from '../../domain/in-time.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Completion, LanguageModel } from '../../ports/language-model.ts';
import type { Dependencies } from '../dependencies.ts';
import { placementOf } from '../scoping.ts';
import { knownOf, type Places } from './known.ts';
import { modelAnswer } from './model-answer.ts';
import { INSTRUCTIONS, promptText } from './prompt.ts';
import { isUnread, mayBeShown } from './unread.ts';
import { nothingDropped, verify } from './verify.ts';
import { windowsOf } from './windows.ts';
import { writeExtracted, type Written, type WrittenWindow } from './write-extracted.ts';

/** Windows per call; sending the same again continues with the rest. */
const MAX_WINDOWS = 8;
/** All windows together: a client waits for half a minute. */
const PATIENCE_MS = 25_000;
const OUTPUT_TOKENS = 2500;

const completionSchema = z.object({ text: z.string(), model: z.string(), cost: z.object(costSchema.shape) });

/** Turns before those that were sent, so that it is understood what they are about. */
const BEFORE = 4;
const BEFORE_LISTED = 20;

export type Extracted = Omit<RememberOutput, 'turns' | 'dryRun'>;

/** Never fails because of the model: what it could not process is reported, and can be retried. */
export async function extract(
  dependencies: Dependencies,
  principal: Principal,
  places: Places,
  turns: readonly Entry[],
  input: RememberInput,
): Promise<Extracted> {
  const unread = turns.filter(isUnread);
  const found = new Findings(unread.length);
  const { languageModel } = dependencies;
  if (unread.length === 0) return found.told();
  if (input.extract === false) return found.told('It was not asked for.');
  if (languageModel === undefined) return found.told('No language model is configured.');
  const shown = turns.filter(mayBeShown);
  const before = await turnsBefore(dependencies, principal, shown[0]);
  const windows = windowsOf([...before, ...shown], (turn) => shown.includes(turn) && isUnread(turn));
  const deadline = performance.now() + PATIENCE_MS;
  for (const [index, window] of windows.entries()) {
    const left = deadline - performance.now();
    if (index === MAX_WINDOWS || left <= 0)
      return found.told('There is too much for one call. Send it again to go on.');
    try {
      const known = await knownOf(dependencies, principal, places, window);
      const completion = await asked(languageModel, promptText(window, known), left);
      found.asked(completion);
      const verified = verify(window, known, modelAnswer(completion.text));
      const made = { model: completion.model, cost: shared(completion.cost, verified) };
      const written = await writeExtracted(dependencies, principal, places, window, verified, made, input.dryRun);
      found.add(written, verified.dropped);
    } catch (error) {
      if (error instanceof LaminaError) return found.told(error.message);
      throw error;
    }
  }
  return found.told('Confidential and restricted turns are not shown to a language model.');
}

async function asked(model: LanguageModel, text: string, patienceMs: number): Promise<Completion> {
  try {
    const answer = model.complete(INSTRUCTIONS, text, { outputTokens: OUTPUT_TOKENS });
    return completionOf(await inTime(answer, patienceMs, () => tooSlow(patienceMs)));
  } catch (error) {
    if (error instanceof LaminaError) throw error;
    throw new LaminaError('PROVIDER_ERROR', 'The language model failed for an unexpected reason.', { cause: error });
  }
}

/** A custom model may return anything. Throws `PROVIDER_ERROR`. */
function completionOf(answer: unknown): Completion {
  const { data } = completionSchema.safeParse(answer);
  if (data !== undefined) return data;
  throw new LaminaError(
    'PROVIDER_ERROR',
    'The language model gave an answer that cannot be used: it has no text, no model or no cost.',
  );
}

function tooSlow(patienceMs: number): LaminaError {
  const seconds = Math.max(1, Math.round(patienceMs / 1000));
  return new LaminaError('PROVIDER_ERROR', `The language model did not answer within ${seconds} seconds.`);
}

function shared(cost: Cost, { memories, facts }: ReturnType<typeof verify>): Cost {
  const sharedBy = memories.length + facts.length;
  return sharedBy > 1 ? { ...cost, sharedBy } : cost;
}

/** The last ones of the same conversation that came by an earlier call. */
async function turnsBefore(
  { entries }: Dependencies,
  principal: Principal,
  first: Entry | undefined,
): Promise<Entry[]> {
  const { sessionId } = first?.identifiers ?? {};
  if (first?.turn === undefined || first.turn <= 1 || sessionId === undefined) return [];
  const selection = { partitions: [partitionOf(placementOf(first))], identifiers: { sessionId } };
  const listed = await entries.list(principal, selection, BEFORE_LISTED);
  return listed
    .filter((entry) => mayBeShown(entry) && entry.role !== 'system' && (entry.turn ?? 0) < (first.turn ?? 0))
    .toSorted((a, b) => (a.turn ?? 0) - (b.turn ?? 0))
    .slice(-BEFORE);
}

/** What has come of all windows so far. */
class Findings {
  #pending: number;
  #isChanged = false;
  readonly #written = { memories: [], facts: [], closed: [] } as { [list in keyof Written]: Written[list][number][] };
  readonly #dropped = nothingDropped();
  #model: string | undefined;
  #cost: Cost | undefined;

  constructor(pending: number) {
    this.#pending = pending;
  }

  asked({ model, cost }: Completion): void {
    this.#model = model;
    const before = this.#cost ?? { inputTokens: 0, outputTokens: 0 };
    const price = cost.price === undefined ? before.price : (before.price ?? 0) + cost.price;
    this.#cost = {
      inputTokens: before.inputTokens + cost.inputTokens,
      outputTokens: before.outputTokens + cost.outputTokens,
      ...(price !== undefined && { price }),
    };
  }

  add({ memories, facts, closed, read, isChanged }: WrittenWindow, dropped: Dropped): void {
    this.#pending -= read;
    this.#isChanged ||= isChanged;
    this.#written.memories.push(...memories);
    this.#written.facts.push(...facts);
    this.#written.closed.push(...closed);
    for (const reason of Object.keys(dropped) as (keyof Dropped)[]) this.#dropped[reason] += dropped[reason];
  }

  /** The reason counts where something is left to be looked at. */
  told(reason?: string): Extracted {
    const isDone = this.#pending === 0;
    const why = this.#isChanged ? 'A turn was changed meanwhile. Send it again to have it looked at.' : reason;
    return {
      ...this.#written,
      dropped: this.#dropped,
      extracted: isDone,
      pending: this.#pending,
      ...(!isDone && why !== undefined && { reason: why }),
      ...(this.#model !== undefined && { model: this.#model }),
      ...(this.#cost !== undefined && { cost: this.#cost }),
    };
  }
}
