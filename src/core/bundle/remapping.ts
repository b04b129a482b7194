/** Under which other names something is imported: users, the identifiers of layers, layers. Every lookup is here. */

import { LaminaError } from '../../domain/error.ts';
import {
  PERSONAL_LAYERS,
  REQUIRED_IDENTIFIERS,
  type IdentifierName,
  type Identifiers,
  type Layer,
} from '../../domain/scope.ts';
import { accessOf, type AccessControl } from '../../domain/sharing.ts';

type Names = ReadonlyMap<string, string>;

export interface Renamings {
  readonly users?: Names | undefined;
  /** By identifier; the names of users are the others. */
  readonly identifiers?: ReadonlyMap<IdentifierName, Names> | undefined;
  readonly layers?: ReadonlyMap<Layer, Layer> | undefined;
}

const NONE: Names = new Map();

/** Where something lies. */
interface Place {
  readonly layer: Layer;
  readonly identifiers: Identifiers;
}

export class Remapping {
  readonly #users: Names;
  readonly #identifiers: ReadonlyMap<IdentifierName, Names>;
  readonly #layers: ReadonlyMap<Layer, Layer>;
  readonly #met = new Set<string>();

  /** Throws `VALIDATION_FAILED` for a layer whose identifiers do not fit the other's. */
  constructor({ users = NONE, identifiers = new Map(), layers = new Map() }: Renamings) {
    for (const [from, to] of layers) assertFitting(from, to);
    this.#users = users;
    this.#identifiers = identifiers;
    this.#layers = layers;
  }

  /** Which of these users were nowhere named so far. */
  unmet(users: Names = NONE): string[] {
    return [...users.keys()].filter((id) => !this.#met.has(id));
  }

  #renamed(id: string): string | undefined {
    const other = this.#users.get(id);
    if (other !== undefined) this.#met.add(id);
    return other;
  }

  user(id: string): string {
    return this.#renamed(id) ?? id;
  }

  identifier(name: IdentifierName, id: string): string {
    return name === 'userId' ? this.user(id) : (this.#identifiers.get(name)?.get(id) ?? id);
  }

  /** A record's field that may not be there. */
  optional<Name extends 'agentId' | 'sessionId'>(
    name: Name,
    record: { readonly [N in Name]?: string | undefined },
  ): { readonly [N in Name]?: string } {
    const id: string | undefined = record[name];
    return (id === undefined ? {} : { [name]: this.identifier(name, id) }) as { readonly [N in Name]?: string };
  }

  /** What an access list names: a user, or an agent of the owner's. */
  member(id: string): string {
    return this.#renamed(id) ?? this.identifier('agentId', id);
  }

  access({ read, write, publicRead }: AccessControl): AccessControl {
    const renamed = (ids: readonly string[]): string[] => ids.map((id) => this.member(id));
    return accessOf({ read: renamed(read), write: renamed(write), publicRead });
  }

  /** Who did something: a user, and perhaps an agent of theirs behind a slash. */
  actor(name: string): string {
    const [exact, slash] = [this.#renamed(name), name.lastIndexOf('/')];
    if (exact !== undefined || slash === -1) return exact ?? name;
    return `${this.user(name.slice(0, slash))}/${this.identifier('agentId', name.slice(slash + 1))}`;
  }

  identifiers(identifiers: Identifiers): Identifiers {
    const { contextId, ...named } = identifiers;
    const renamed = Object.entries(named).map(([name, id]) => [
      name,
      id === undefined ? id : this.identifier(name as IdentifierName, id),
    ]);
    return { ...Object.fromEntries(renamed), ...(contextId !== undefined && { contextId }) };
  }

  /** What a context holds stays in the layer where the context looks for it. Throws `VALIDATION_FAILED`. */
  place({ layer, identifiers: former }: Place): Place {
    const identifiers = this.identifiers(former);
    const to = this.#layers.get(layer);
    if (to === undefined || identifiers.contextId !== undefined) return { layer, identifiers };
    if (PERSONAL_LAYERS.has(layer)) return { layer: to, identifiers };
    const [own, other] = [groupIdentifier(layer), groupIdentifier(to)];
    const { [own]: id, ...others } = identifiers;
    const rest: Identifiers = others;
    if (rest[other] !== undefined && rest[other] !== id) {
      throw new LaminaError(
        'VALIDATION_FAILED',
        `What lies in the ${layer} "${id}" names the ${to} "${rest[other]}" already, so that it cannot become the ${to} ` +
          `"${id}". Leave the ${layer} layer as it is.`,
      );
    }
    return { layer: to, identifiers: { ...rest, [other]: id } };
  }
}

function groupIdentifier(layer: Layer): IdentifierName {
  const [name] = REQUIRED_IDENTIFIERS[layer];
  return name ?? 'companyId';
}

/** A group can become another sort of group; what is one agent's or one session's of a user can become the user's. */
function assertFitting(from: Layer, to: Layer): void {
  const isGroups = !PERSONAL_LAYERS.has(from) && !PERSONAL_LAYERS.has(to);
  const isUsers = PERSONAL_LAYERS.has(from) && to === 'user';
  if (isGroups || isUsers) return;
  const needs = REQUIRED_IDENTIFIERS[to].filter((name) => !REQUIRED_IDENTIFIERS[from].includes(name));
  throw new LaminaError(
    'VALIDATION_FAILED',
    `The ${from} layer cannot become the ${to} layer: that needs ${needs.join(' and ')}, which what lies there does not ` +
      'have. Groups (project, team, org, company) can become each other; agent and session can become user.',
  );
}
