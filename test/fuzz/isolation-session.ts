/** A run of the fuzz of isolation: who asks what, what of it is wrong, and what was done before it. */

import { SeededRandom } from '../../src/testing/seeded-random.ts';
import type { Exchange, FuzzAnswer } from './exchange.ts';
import type { Call } from './isolation-kinds.ts';
import { World, type Actor, type Thing } from './isolation-world.ts';

/** Headers that differ from one request to the next. */
const PASSING = new Set(['date', 'x-request-id', 'keep-alive', 'connection']);
const EVENTS = '/v1/memory/events?';

export class IsolationSession {
  readonly random: SeededRandom;
  readonly world: World;
  readonly actors: readonly Actor[];
  readonly log: string[] = [];
  /** By what was done: how often. */
  readonly steps: Record<string, number> = {};
  operations = 0;
  /** How often something was refused as if it were not there. */
  unseen = 0;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, seed: number, everybody: readonly Actor[]) {
    this.#exchange = exchange;
    this.random = new SeededRandom(seed);
    this.actors = everybody;
    this.world = new World(this.random, everybody);
  }

  someone(): Actor {
    return this.random.pick(this.actors);
  }

  /** Mostly of the same tenant: across tenants little is even tried. */
  someoneNear(thing: Thing): Actor {
    return this.random.below(4) === 0 ? this.someone() : this.random.pick(this.tenantOf(thing));
  }

  /** Everybody of its tenant. */
  tenantOf({ owner }: Thing): readonly Actor[] {
    return this.actors.filter(({ tenantId }) => tenantId === owner.tenantId);
  }

  something(): Thing | undefined {
    const { things } = this.world;
    // The latest more often: most of the old ones are gone.
    const from = this.random.below(3) === 0 ? 0 : Math.max(0, things.length - 150);
    return this.oneOf(things.slice(from));
  }

  oneOf<T>(all: readonly T[]): T | undefined {
    return all.length === 0 ? undefined : this.random.pick(all);
  }

  /** Asks, and sees to it that nothing is in the answer that is not for them. */
  async ask(
    step: string,
    actor: Actor,
    call: Call,
    sees: (thing: Thing) => boolean = (thing) => thing.sees(actor),
  ): Promise<FuzzAnswer> {
    this.operations += 1;
    this.steps[step] = (this.steps[step] ?? 0) + 1;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const answer = await this.#exchange({
      method: call.method,
      path: call.path,
      headers: { Authorization: `Bearer ${actor.credential}`, ...actor.headers, ...type },
      body,
      isStream: call.path.startsWith(EVENTS),
    });
    this.log.push(
      `${actor.name}: ${call.method} ${call.path} ${body ?? ''} -> ${answer.status} ${answer.text.slice(0, 200)}`,
    );
    assert(answer.status < 500, `a failure of the service: ${answer.text}`);
    const told = `${JSON.stringify(answer.headers)} ${answer.text}`;
    const leaks = this.world.leaks(told, `${call.path} ${body ?? ''}`, sees);
    assert(leaks.length === 0, `${actor.name} was told of ${leaks.join('; ')}`);
    return answer;
  }

  /** Whether it was done, which must be as the model has it. */
  async isDoneTo(thing: Thing, actor: Actor, call: Call, answer: FuzzAnswer): Promise<boolean> {
    if (!isThere(thing, actor)) {
      await this.assertAsAbsent(thing, actor, call, answer);
      return false;
    }
    if (!thing.changes(actor)) {
      assert(codeOf(answer) === 'FORBIDDEN', `not theirs to change, and yet ${answer.status}`);
      return false;
    }
    assert(isDone(answer), `theirs to change, and refused with ${answer.status}: ${answer.text}`);
    return true;
  }

  /** Byte for byte what they are told of a thing that never was. */
  async assertAsAbsent(thing: Thing, actor: Actor, call: Call, answer: FuzzAnswer): Promise<void> {
    this.unseen += 1;
    assert(answer.status === 404 || answer.status === 403, `not there for them, and yet ${answer.status}`);
    const isUuid = /^[0-9a-f-]{36}$/.test(thing.id);
    const id = isUuid ? `${thing.id.slice(0, -8)}deadbeef` : `${thing.id.slice(0, -10)}neverthere`;
    const absent = await this.ask('absent', actor, { ...call, path: call.path.replace(thing.id, id) });
    const [got, expected] = [plain(answer, thing.id), plain(absent, id)];
    assert(got === expected, `another answer than for what is not there:\n${got}\n${expected}`);
  }
}

/** An answer as text, without what differs each time, and without the id that was asked for. */
function plain({ status, headers, text }: FuzzAnswer, id: string): string {
  const kept = Object.entries(headers).filter(([name]) => !PASSING.has(name) && !name.includes('ratelimit'));
  const { request_id: _, ...body } = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify([status, kept, body]).replaceAll(id, 'ID');
}

export function isDone({ status }: FuzzAnswer): boolean {
  return status >= 200 && status < 300;
}

export function codeOf({ text }: FuzzAnswer): string {
  return String((JSON.parse(text) as Record<string, unknown>)['code']);
}

export function isThere(thing: Thing, actor: Actor): boolean {
  return !thing.isGone && thing.sees(actor);
}

export function assert(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}
