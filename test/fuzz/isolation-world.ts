/** Who there is in the fuzz of isolation, what they have made, and who may see and change it: the model of everything. */

import type { PrincipalInput } from '../../src/domain/principal.ts';
import { encodePrincipal } from '../../src/operations/wire-headers.ts';
import type { SeededRandom } from '../../src/testing/seeded-random.ts';
import { token } from '../identity-service.ts';

export interface Actor extends PrincipalInput {
  readonly tenantId: string;
  readonly isAdmin: boolean;
  readonly credential: string;
  /** By which a delegate's credential names them. */
  readonly headers: Readonly<Record<string, string>>;
  /** For people to read. */
  readonly name: string;
}

/** Names that a careless comparison takes for one another, or for syntax; the same in every tenant. */
const PEOPLE: readonly { readonly userId: string; readonly agentId?: string; readonly isAdmin?: boolean }[] = [
  { userId: 'u1' },
  { userId: 'u1', agentId: 'a1' },
  { userId: 'u1', agentId: 'a10' },
  { userId: 'u10' },
  { userId: 'u10', agentId: 'a1' },
  { userId: 'a1' },
  { userId: '%' },
  { userId: 'root', isAdmin: true },
];
const TENANTS = ['0', '1', '2'].map((last) => `7d1c2b9e-0f43-4b0e-9a53-1f2e3d4c5b1${last}`);
/** Whose members share the token of a delegate. */
const SERVED = TENANTS[2];
const DELEGATE = { user_id: 'backend', roles: ['delegate'] };
const A_DAY = 86_400;

export async function actors(): Promise<Actor[]> {
  const exp = Math.floor(Date.now() / 1000) + A_DAY;
  const all = TENANTS.flatMap((tenantId, at) =>
    PEOPLE.map(async ({ userId, agentId, isAdmin = false }): Promise<Actor> => {
      const roles = isAdmin ? { roles: ['admin'] } : {};
      const agent = agentId === undefined ? {} : { agent_id: agentId };
      const isServed = tenantId === SERVED && !isAdmin;
      const claims = isServed ? DELEGATE : { user_id: userId, ...agent, ...roles };
      const credential = await token({ tenant_id: tenantId, exp, ...claims });
      const own = { userId, ...(agentId !== undefined && { agentId }) };
      const headers = isServed ? encodePrincipal(own) : {};
      const name = `${userId}${agentId === undefined ? '' : `/${agentId}`} of tenant ${at}`;
      return { tenantId, ...own, isAdmin, credential, headers, name };
    }),
  );
  return Promise.all(all);
}

/** Something that somebody made. */
export interface Thing {
  readonly kind: string;
  /** Where it is read. */
  readonly path: string;
  /** The part of the path that names it, as it stands there. */
  readonly id: string;
  readonly owner: Actor;
  /** Whether somebody of any tenant may see it, and change it. */
  sees(actor: Actor): boolean;
  changes(actor: Actor): boolean;
  isGone: boolean;
  /** Of an entry: out of use. */
  isArchived: boolean;
  /** The secret that was put into it last. */
  canary: string;
}

const CANARY = /cnry[a-z]{12}/g;

/** Everything that was ever made, and whose each secret is. */
export class World {
  readonly things: Thing[] = [];
  readonly #byCanary = new Map<string, Thing>();
  readonly #random: SeededRandom;
  /** How often anything changed that this actor can see. */
  readonly #changes = new Map<Actor, number>();
  readonly #actors: readonly Actor[];

  constructor(random: SeededRandom, everybody: readonly Actor[]) {
    this.#random = random;
    this.#actors = everybody;
  }

  /** A secret that is nobody's yet. */
  canary(): string {
    return `cnry${this.#random.word().slice(0, 9)}${this.#random.word().slice(0, 3)}`;
  }

  add(thing: Thing): void {
    this.things.push(thing);
    this.mark(thing, thing.canary);
  }

  /** A new secret is in it. */
  mark(thing: Thing, canary: string): void {
    thing.canary = canary;
    this.#byCanary.set(canary, thing);
    this.touch(thing);
  }

  remove(thing: Thing): void {
    this.touch(thing);
    thing.isGone = true;
  }

  /** It was changed, in a way that others can see who count what there is. */
  touch(thing: Thing): void {
    if (thing.kind !== 'entry' && thing.kind !== 'value') return;
    for (const actor of this.#actors) if (thing.sees(actor)) this.#changes.set(actor, this.changesFor(actor) + 1);
  }

  changesFor(actor: Actor): number {
    return this.#changes.get(actor) ?? 0;
  }

  alive(kind: string): Thing[] {
    return this.things.filter((thing) => thing.kind === kind && !thing.isGone);
  }

  /** The secrets in a text of things that this actor may not see, or that are gone; but for what they said themselves. */
  leaks(text: string, said: string, sees: (thing: Thing) => boolean): string[] {
    const own = new Set(said.match(CANARY));
    const found = [...new Set(text.match(CANARY))].filter((canary) => !own.has(canary));
    return found.flatMap((canary) => {
      const thing = this.#byCanary.get(canary);
      if (thing === undefined) return [`${canary}, which nobody wrote`];
      if (!thing.isGone && sees(thing)) return [];
      return [`${canary}: ${thing.isGone ? 'gone ' : ''}${thing.kind} of ${thing.owner.name} at ${thing.path}`];
    });
  }
}

/** The secrets in a text. */
export function canariesIn(text: string): string[] {
  return [...new Set(text.match(CANARY))];
}

export function isOfTenant(thing: Thing, actor: Actor): boolean {
  return thing.owner.tenantId === actor.tenantId;
}

export function isOfUser(thing: Thing, actor: Actor): boolean {
  return isOfTenant(thing, actor) && thing.owner.userId === actor.userId;
}
