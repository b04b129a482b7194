/** The file of the reference memory server, one entity or relation per line: read line by line, checked and batched. Pure. */

import { z } from 'zod';
import { LaminaError } from '../domain/error.ts';
import { assertJson } from '../domain/json.ts';
import { DEFAULT_LIMITS } from '../domain/limits.ts';
import { entitySchema, relationSchema, type GraphEntity, type GraphRelation } from './graph-schemas.ts';

/** How much is written at once: lines, and observations on them. */
const BATCH_WEIGHT = 500;

const lineSchema = z.discriminatedUnion(
  'type',
  [entitySchema.extend({ type: z.literal('entity') }), relationSchema.extend({ type: z.literal('relation') })],
  { error: 'expected an object with the type "entity" or "relation"' },
);

export interface GraphBatch {
  /** Each name once: several lines about it are combined. */
  readonly entities: readonly GraphEntity[];
  readonly relations: readonly GraphRelation[];
  /** The number of lines, including empty ones. */
  readonly lines: number;
}

/** A line, or what is wrong with it, or undefined if it is empty. */
export function readGraphLine(text: string): { line: z.output<typeof lineSchema> } | { problem: string } | undefined {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    assertJson(value);
    const parsed = lineSchema.safeParse(value);
    if (!parsed.success) return { problem: parsed.error.issues.map(complaintOf).join('; ') };
    const problem = parsed.data.type === 'entity' ? tooLong(parsed.data) : undefined;
    return problem === undefined ? { line: parsed.data } : { problem };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: error instanceof LaminaError ? reason.replace(/\.$/, '') : `not JSON: ${reason}` };
  }
}

/** Throws `VALIDATION_FAILED` at the first bad line, with its number. */
export async function* graphBatches(lines: AsyncIterable<string>): AsyncGenerator<GraphBatch, void> {
  let batch = new Collected();
  let number = 0;
  for await (const text of lines) {
    number += 1;
    const read = readGraphLine(text);
    if (read && 'problem' in read) throw new LaminaError('VALIDATION_FAILED', `Line ${number}: ${read.problem}.`);
    batch.add(read?.line);
    if (batch.weight < BATCH_WEIGHT) continue;
    yield batch.take();
    batch = new Collected();
  }
  if (batch.weight > 0) yield batch.take();
}

class Collected {
  readonly #entities = new Map<string, GraphEntity>();
  readonly #relations: GraphRelation[] = [];
  #lines = 0;
  weight = 0;

  add(line: z.output<typeof lineSchema> | undefined): void {
    this.#lines += 1;
    this.weight += 1;
    if (line?.type === 'relation') {
      const { from, to, relationType } = line;
      this.#relations.push({ from, to, relationType });
    } else if (line?.type === 'entity') {
      const { name, entityType, observations } = line;
      const known = this.#entities.get(name) ?? { name, entityType, observations: [] };
      this.#entities.set(name, { ...known, observations: [...known.observations, ...observations] });
      this.weight += observations.length;
    }
  }

  take(): GraphBatch {
    return { entities: [...this.#entities.values()], relations: this.#relations, lines: this.#lines };
  }
}

/** Checked before anything is written. A service may have a different limit; then it refuses. */
function tooLong({ name, observations }: GraphEntity): string | undefined {
  const limit = DEFAULT_LIMITS.contentLength - `${name}: `.length;
  const index = observations.findIndex((text) => text.length > limit);
  return index < 0 ? undefined : `observations.${index}: longer than ${limit} characters`;
}

function complaintOf({ path, message }: z.core.$ZodIssue): string {
  const problem = message.replace(/^Invalid input: /, '');
  return path.length === 0 ? problem : `${path.map(String).join('.')}: ${problem}`;
}
