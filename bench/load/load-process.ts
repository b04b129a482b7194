/** The process that asks: connections that are kept, each with one request under way, and a note of all that was acknowledged. */

import { Agent, request as send } from 'node:http';
import { SeededRandom } from '../seeded-random.ts';
import { LoadMix, type LoadOperation, type LoadRequest, type Memory } from './load-mix.ts';

export interface LoadTask {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly entries: number;
  readonly seed: number;
}

export interface LoadFigures {
  readonly operation: LoadOperation;
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface LoadOutcome {
  readonly kind: 'outcome';
  readonly seconds: number;
  readonly figures: readonly LoadFigures[];
  readonly errors: number;
  /** What the first of them said. */
  readonly firstError: string | undefined;
}

/** After the service was told to end. */
export interface DrainOutcome {
  readonly kind: 'drained';
  /** Answered with a success after that. */
  readonly answered: number;
  /** Whose connection was closed without an answer, so that nobody was told that it was done. */
  readonly unanswered: number;
  /** How the first of those was told. */
  readonly firstUnanswered: string | undefined;
  readonly errors: number;
  readonly firstError: string | undefined;
  readonly memories: readonly Memory[];
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const BATCH = 50;
/** What is not there is an answer too. */
const MAY_BE_ABSENT: ReadonlySet<LoadOperation> = new Set<LoadOperation>(['working: get']);

const mixes = { mix: undefined as LoadMix | undefined };
let durations = new Map<LoadOperation, number[]>();
let [errors, firstError] = [0, undefined as string | undefined];

function ask(
  agent: Agent,
  port: number,
  { method, path, body, userId }: Omit<LoadRequest, 'operation'>,
): Promise<Answer> {
  const text = body && JSON.stringify(body);
  const headers = {
    'X-User-ID': userId,
    ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(text);
  });
}

function isSuccess({ status }: Answer, operation: LoadOperation): boolean {
  return (status >= 200 && status < 300) || (status === 404 && MAY_BE_ABSENT.has(operation));
}

/** Notes what there is now, by what was acknowledged. */
function noteAnswer(mix: LoadMix, { operation, userId, body, memory }: LoadRequest, { text }: Answer): void {
  const content = body?.content ?? '';
  if (operation === 'add') {
    const { id } = (JSON.parse(text) as { memory: { id: string } }).memory;
    mix.memories.push({ userId, id, content });
  }
  if (operation === 'update' && memory !== undefined) mix.memories.push({ ...memory, content });
}

function fail(what: string): void {
  errors += 1;
  firstError ??= what;
}

async function fill(mix: LoadMix, { port, entries }: LoadTask): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  for (let done = 0; done < entries; done += BATCH) {
    const userId = mix.user();
    const memories = Array.from({ length: Math.min(BATCH, entries - done) }, () => ({
      content: mix.sentence(),
      layer: 'user',
    }));
    const path = '/v1/memory/entries/batch';
    const answer = await ask(agent, port, { method: 'POST', path, userId, body: { memories } });
    if (answer.status >= 300) throw new Error(`Nothing could be loaded:\n${answer.text}`);
    const { results } = JSON.parse(answer.text) as { results: { memory: { id: string; content: string } }[] };
    for (const { memory } of results) mix.memories.push({ userId, id: memory.id, content: memory.content });
  }
  agent.destroy();
}

async function askInTurn(mix: LoadMix, agent: Agent, { port }: LoadTask, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const request = mix.next();
    const started = performance.now();
    try {
      const answer = await ask(agent, port, request);
      const took = durations.get(request.operation) ?? [];
      took.push(performance.now() - started);
      durations.set(request.operation, took);
      if (!isSuccess(answer, request.operation)) fail(`${request.operation}: ${answer.status} ${answer.text}`);
      else noteAnswer(mix, request, answer);
    } catch (error) {
      fail(`${request.operation}: ${String(error)}`);
    }
  }
}

function figuresOf(): LoadFigures[] {
  return [...durations].map(([operation, took]) => {
    const sorted = took.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
    return { operation, count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
  });
}

async function load(mix: LoadMix, task: LoadTask): Promise<LoadOutcome> {
  [durations, errors, firstError] = [new Map(), 0, undefined];
  const agent = new Agent({ keepAlive: true, maxSockets: task.connections });
  const started = performance.now();
  const isOver = (): boolean => mix.isBegun && performance.now() - started >= task.seconds * 1000;
  await Promise.all(Array.from({ length: task.connections }, () => askInTurn(mix, agent, task, isOver)));
  agent.destroy();
  return { kind: 'outcome', seconds: (performance.now() - started) / 1000, figures: figuresOf(), errors, firstError };
}

/** Goes on until the service has gone. Only what was refused in another way than by going is an error. */
async function untilGone(mix: LoadMix, task: LoadTask): Promise<DrainOutcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: task.connections });
  let [answered, unanswered, refused] = [0, 0, undefined as string | undefined];
  let firstUnanswered: string | undefined;
  let failed = 0;
  const one = async (): Promise<void> => {
    for (;;) {
      const request = mix.next();
      try {
        const answer = await ask(agent, task.port, request);
        if (isSuccess(answer, request.operation)) {
          noteAnswer(mix, request, answer);
          answered += 1;
        } else {
          failed += 1;
          refused ??= `${request.operation}: ${answer.status} ${answer.text}`;
        }
      } catch (error) {
        if ((error as { code?: string }).code === 'ECONNREFUSED') return;
        unanswered += 1;
        firstUnanswered ??= `${request.operation}: ${String(error)}`;
      }
    }
  };
  await Promise.all(Array.from({ length: task.connections }, one));
  return {
    kind: 'drained',
    answered,
    unanswered,
    firstUnanswered,
    errors: failed,
    firstError: refused,
    memories: mix.memories,
  };
}

process.on('message', (message: { readonly kind: 'fill' | 'load' | 'drain'; readonly task: LoadTask }) => {
  const { kind, task } = message;
  const mix = (mixes.mix ??= new LoadMix(new SeededRandom(task.seed)));
  const work = {
    fill: async () => {
      await fill(mix, task);
      return { kind: 'filled' };
    },
    load: () => load(mix, task),
    drain: () => untilGone(mix, task),
  };
  void work[kind]().then((outcome) => process.send?.(outcome));
});
