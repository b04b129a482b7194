/** Sends generated requests for every operation to a service, many at a time, and tells what was wrong with the answers. */

import { SeededRandom } from '../../src/testing/seeded-random.ts';
import { problemOf } from './answer-checks.ts';
import type { ApiDescription, ApiOperation } from './api-operations.ts';
import { KINDS, RequestMaker, rootOf, type Given, type MadeRequest, type RequestKind } from './api-requests.ts';
import type { Exchange, FuzzAnswer, FuzzRequest } from './exchange.ts';
import { KnownValues, namedIn } from './known-values.ts';

/** Of ten: half of them are meant to succeed. */
const SHARES: readonly RequestKind[] = [
  'valid',
  'valid',
  'valid',
  'valid',
  'valid',
  'mutated',
  'mutated',
  'mutated',
  'hostile',
  'hostile',
];
const WORKERS = 16;
const SHOWN = 400;

export interface Asking {
  readonly userId: string;
  readonly given: Given;
  /** The credential for this operation: some are not for the tenant that everything else happens in. */
  credential(operation: ApiOperation): string;
}

export interface FuzzReport {
  readonly requests: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly slowest: { readonly ms: number; readonly what: string };
  /** By kind: how many there were, and how many of them succeeded. */
  readonly kinds: Readonly<Record<RequestKind, { asked: number; succeeded: number }>>;
  /** Operations of which not one valid request succeeded. */
  readonly neverDone: readonly string[];
  readonly problems: readonly string[];
  /** The marks of requests that were refused. */
  readonly refused: ReadonlySet<string>;
}

export async function fuzzApi(
  api: ApiDescription,
  exchange: Exchange,
  asking: Asking,
  options: { readonly seed: number; readonly requests: number },
): Promise<FuzzReport> {
  const random = new SeededRandom(options.seed);
  const known = new KnownValues(random);
  const maker = new RequestMaker(api, random, known, asking.userId, asking.given);
  const done = new Set<string>();
  const refused = new Set<string>();
  const problems: string[] = [];
  const statuses: Record<string, number> = {};
  const kinds = Object.fromEntries(KINDS.map((kind) => [kind, { asked: 0, succeeded: 0 }])) as Record<
    RequestKind,
    { asked: number; succeeded: number }
  >;
  let slowest = { ms: 0, what: '' };
  let next = 0;

  const askOne = async (): Promise<void> => {
    const at = next;
    next += 1;
    const operation = api.operations[at % api.operations.length] as ApiOperation;
    // The first rounds are all valid, so that there is something to follow from.
    const kind = at < 2 * api.operations.length ? 'valid' : random.pick(SHARES);
    const mark = `mark${at}z`;
    const made = maker.make(operation, kind, mark);
    const request = authorized(made, asking.credential(operation));
    let answer: FuzzAnswer;
    try {
      answer = await exchange(request);
    } catch (error) {
      problems.push(`${shown(at, kind, operation, request)}\n  had no answer: ${String(error)}`);
      return;
    }
    const { status, ms } = answer;
    statuses[status] = (statuses[status] ?? 0) + 1;
    kinds[kind].asked += 1;
    if (ms > slowest.ms) slowest = { ms, what: `${operation.id} (${kind}, ${request.body?.length ?? 0} characters)` };
    const problem = problemOf(api, operation, answer);
    if (problem !== undefined) {
      problems.push(`${shown(at, kind, operation, request)}\n  ${problem}\n  ${status} ${answer.text.slice(0, SHOWN)}`);
    }
    if (status >= 400) refused.add(mark);
    if (status >= 300) return;
    kinds[kind].succeeded += 1;
    done.add(operation.id);
    if (kind === 'valid' && !operation.isStream) learn(known, operation, made, bodyIn(answer.text));
  };
  const work = async (): Promise<void> => {
    while (next < options.requests) await askOne();
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const neverDone = api.operations.map(({ id }) => id).filter((id) => !done.has(id));
  return { requests: options.requests, statuses, slowest, kinds, neverDone, problems, refused };
}

function learn(known: KnownValues, operation: ApiOperation, { place, body }: MadeRequest, answered: unknown): void {
  known.learn(operation.id, answered);
  if (operation.method === 'DELETE') known.forgetPlace(rootOf(operation), place);
  else {
    const sent = bodyIn(String(body ?? ''));
    known.learn(operation.id, sent);
    known.learnPlace(rootOf(operation), { ...namedIn(answered), ...namedIn(sent), ...place });
  }
}

function authorized(request: FuzzRequest, credential: string): FuzzRequest {
  return { ...request, headers: { ...request.headers, Authorization: `Bearer ${credential}` } };
}

function bodyIn(text: string): unknown {
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

function shown(
  at: number,
  kind: RequestKind,
  { id }: ApiOperation,
  { method, path, headers, body }: FuzzRequest,
): string {
  const { Authorization: _, ...rest } = headers;
  return `#${at} ${kind} ${id}: ${method} ${path.slice(0, SHOWN)} ${JSON.stringify(rest)}\n  ${String(body ?? '').slice(0, SHOWN)}`;
}
