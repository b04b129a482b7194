/** A search as its receipt: ids and numbers of its candidates, best first. Pure. */

import { DEFAULT_RANKING } from '../../domain/ranking.ts';
import type { Principal } from '../../domain/principal.ts';
import {
  MAX_RECEIPT_CANDIDATES,
  type RecallConfiguration,
  type StoredCandidate,
  type StoredReceipt,
} from '../../domain/recall-receipt.ts';
import {
  DEFAULT_SEARCH_LIMIT,
  DEFAULT_THRESHOLD,
  type SearchInput,
  type SearchOutput,
  type Signals,
} from '../../domain/recall.ts';
import type { Dependencies } from '../dependencies.ts';
import type { RecallTrace, Weighed } from '../recall/recall.ts';
import { identifiersOf } from '../scoping.ts';

/** What a search has told of itself. */
export interface Searched {
  readonly input: SearchInput;
  readonly output: SearchOutput;
  readonly trace: RecallTrace;
  readonly durationMs: number;
}

type Told = Omit<StoredReceipt, 'receiptId' | 'createdAt'>;

export async function toldOf(
  { version, ranking = DEFAULT_RANKING }: Pick<Dependencies, 'version' | 'ranking'>,
  principal: Principal,
  { input, output, trace, durationMs }: Searched,
): Promise<Told> {
  const { record: _record, includeEmbeddings: _embeddings, explain: _explain, ...asked } = input;
  const { rank = 'precedence', limit = DEFAULT_SEARCH_LIMIT, threshold = DEFAULT_THRESHOLD } = asked;
  const { model, dimensions } = trace.space ?? {};
  const configuration: RecallConfiguration = {
    version: await version(),
    mode: trace.mode,
    rank,
    limit,
    threshold,
    ranking: { ...ranking },
    embedding: model === undefined || dimensions === undefined ? null : { model, dimensions },
  };
  const { warnings, totalCount } = output;
  return {
    asked: { ...asked, identifiers: identifiersOf(principal, asked.identifiers) },
    configuration,
    totalCount,
    candidateCount: trace.candidates.length,
    durationMs: rounded(durationMs),
    ...(warnings && { warnings }),
    candidates: candidatesOf(output, trace),
  };
}

/** The results as they were shown, then what scored best of the rest. */
function candidatesOf({ results }: SearchOutput, { candidates }: RecallTrace): StoredCandidate[] {
  const shown = results.map(({ memory, layer, score, similarity, signals }, index): StoredCandidate => ({
    memoryId: memory.id,
    layer,
    place: index + 1,
    score: rounded(score),
    similarity: similarity === null ? null : rounded(similarity),
    signals: roundedSignals(signals),
  }));
  const ids = new Set(shown.map(({ memoryId }) => memoryId));
  const others = candidates
    .filter(({ id }) => !ids.has(id))
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_RECEIPT_CANDIDATES - shown.length);
  return [...shown, ...others.map(passedOver)];
}

function passedOver({ id, layer, score, similarity, signals }: Weighed): StoredCandidate {
  return {
    memoryId: id,
    layer,
    place: null,
    score: rounded(score),
    similarity: similarity === undefined ? null : rounded(similarity),
    signals: roundedSignals(signals),
  };
}

/** Four digits are enough for a comparison, in a fraction of the space. */
function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

function roundedSignals({ evidence, ...signals }: Signals): Signals {
  return { ...roundedFields(signals), ...(evidence && { evidence: roundedFields(evidence) }) };
}

function roundedFields<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name, rounded(value)]] : [],
  );
  return Object.fromEntries(entries) as Fields;
}
