/** Facts: what they say is fixed, so that it can still be looked up by being equal; what is attached to them is sealed. */

import { unreadable } from '../domain/closed-entry.ts';
import type { Fact, Statement } from '../domain/fact.ts';
import type { Principal } from '../domain/principal.ts';
import type {
  EdgeQuery,
  FactDraft,
  FactQuery,
  FactStore,
  FactTransaction,
  TimelineQuery,
} from '../ports/fact-store.ts';
import type { Keyring } from './keyring.ts';
import { merged } from './sealed-selection.ts';
import { readOn } from './sealed-reads.ts';
import { altered, openedOrNamed, openedOrNone } from './sealed-text.ts';
import type { TenantKeys } from './tenant-keys.ts';

const PLACE = 'fact';

/** The metadata of a sealed fact has this field, and no other. */
const SEALED_FIELD = 'sealed';

/** What a fact can be looked up by. Subjects and objects are fixed alike: a node may be either. */
const PLACES: Readonly<Record<keyof Statement, string>> = {
  factType: 'fact type',
  subject: 'fact node',
  predicate: 'fact predicate',
  object: 'fact node',
};
const PARTS = Object.keys(PLACES) as (keyof Statement)[];

interface Payload {
  readonly factId: string;
  readonly metadata: Fact['metadata'];
  readonly reference?: string | undefined;
}

export function sealedFact<F extends FactDraft>(keys: TenantKeys, fact: F): F {
  const { factId, metadata, source } = fact;
  const payload: Payload = { factId, metadata, reference: source?.reference };
  return {
    ...fact,
    ...sealedParts(keys, fact),
    metadata: { [SEALED_FIELD]: keys.seal(JSON.stringify(payload), PLACE) },
    ...(source && { source: { type: source.type } }),
  };
}

/** Throws `PROVIDER_ERROR` with its id for what cannot be opened. */
export function openedFact(keys: TenantKeys, fact: Fact): Fact {
  return openedOrNamed('fact', fact.factId, () => opened(keys, fact));
}

/** Those that can be opened. */
function openedFacts(keys: TenantKeys, facts: readonly Fact[]): Fact[] {
  return facts.flatMap((fact) => openedOrNone(() => opened(keys, fact)) ?? []);
}

function opened(keys: TenantKeys, fact: Fact): Fact {
  const { [SEALED_FIELD]: sealed } = fact.metadata;
  const text = typeof sealed === 'string' ? keys.open(sealed, PLACE) : undefined;
  if (text === undefined) return fact;
  const { factId, metadata, reference } = JSON.parse(text) as Payload;
  if (factId !== fact.factId) throw altered();
  const parts = PARTS.map((part) => [part, keys.marks.loosen(fact[part], PLACES[part])]);
  return {
    ...fact,
    ...(Object.fromEntries(parts) as Partial<Statement>),
    metadata,
    ...(fact.source && { source: { ...fact.source, ...(reference !== undefined && { reference }) } }),
  };
}

/** Those parts that are there. */
function sealedParts(keys: TenantKeys, said: Partial<Record<keyof Statement, string | undefined>>): Partial<Statement> {
  const parts = PARTS.flatMap((part) => {
    const text = said[part];
    return text === undefined ? [] : [[part, keys.marks.fix(text, PLACES[part])]];
  });
  return Object.fromEntries(parts) as Partial<Statement>;
}

/** While not all is sealed, both ways. */
function asked<Q extends object>(keys: TenantKeys, query: Q, seal: (query: Q) => Q): Q[] {
  if (!keys.isThere) return [query];
  return keys.isComplete ? [seal(query)] : [seal(query), query];
}

function sealedEdges(keys: TenantKeys, query: EdgeQuery): EdgeQuery {
  const { nodes, predicates } = query;
  return {
    ...query,
    nodes: nodes.map((node) => keys.marks.fix(node, PLACES.subject)),
    predicates: predicates?.map((predicate) => keys.marks.fix(predicate, PLACES.predicate)),
  };
}

function hasParts(query: FactQuery): boolean {
  return PARTS.some((part) => query[part] !== undefined);
}

export class SealedFactTransaction implements FactTransaction {
  readonly #keys: TenantKeys;
  readonly #tx: FactTransaction;
  readonly #closed = new Set<string>();

  constructor(keys: TenantKeys, tx: FactTransaction) {
    this.#keys = keys;
    this.#tx = tx;
  }

  /** What cannot be opened is found too, so that it can be removed. Nothing else can be done with it. */
  async find(ids: readonly string[]): Promise<Fact[]> {
    return (await this.#tx.find(ids)).map((fact) => {
      const found = openedOrNone(() => opened(this.#keys, fact));
      if (found === undefined) this.#closed.add(fact.factId);
      return found ?? { ...fact, metadata: {} };
    });
  }

  async timelines(queries: readonly TimelineQuery[]): Promise<Fact[]> {
    const seal = (query: TimelineQuery): TimelineQuery => ({ ...query, ...sealedParts(this.#keys, query) });
    return this.#opened(await this.#tx.timelines(queries.flatMap((query) => asked(this.#keys, query, seal))));
  }

  async insert(drafts: readonly FactDraft[]): Promise<Fact[]> {
    return this.#opened(await this.#tx.insert(drafts.map((draft) => sealedFact(this.#keys, draft))));
  }

  async replace(drafts: readonly FactDraft[]): Promise<Fact[]> {
    const closed = drafts.find(({ factId }) => this.#closed.has(factId));
    if (closed !== undefined) throw unreadable('fact', closed.factId);
    return this.#opened(await this.#tx.replace(drafts.map((draft) => sealedFact(this.#keys, draft))));
  }

  remove(ids: readonly string[]): Promise<void> {
    return this.#tx.remove(ids);
  }

  #opened(facts: readonly Fact[]): Fact[] {
    return facts.map((fact) => openedFact(this.#keys, fact));
  }
}

export class SealedFacts implements FactStore {
  readonly #facts: FactStore;
  readonly #keyring: Keyring;

  constructor(facts: FactStore, keyring: Keyring) {
    this.#facts = facts;
    this.#keyring = keyring;
  }

  transaction<T>(principal: Principal, work: (tx: FactTransaction) => Promise<T>): Promise<T> {
    return this.#keyring.writing(principal.tenantId, (keys) =>
      this.#facts.transaction(principal, async (tx) => {
        const value = await work(new SealedFactTransaction(keys, tx));
        this.#keyring.assertRecent(keys);
        return value;
      }),
    );
  }

  find(principal: Principal, id: string): Promise<Fact | null> {
    return this.#keyring.reading(principal.tenantId, async (keys) => {
      const fact = await this.#facts.find(principal, id);
      return fact && openedFact(keys, fact);
    });
  }

  list(principal: Principal, query: FactQuery): Promise<Fact[]> {
    return this.#keyring.reading(principal.tenantId, async (keys) => {
      const seal = (each: FactQuery): FactQuery => ({ ...each, ...sealedParts(keys, each) });
      const queries = hasParts(query) ? asked(keys, query, seal) : [query];
      const page = async (limit: number, after: FactQuery['after']): Promise<Fact[]> => {
        const pages = queries.map((each) => this.#facts.list(principal, { ...each, limit, after }));
        return merged(await Promise.all(pages), mostCertainFirst, limit);
      };
      const open = (fact: Fact): Fact | undefined => openedOrNone(() => opened(keys, fact));
      return readOn<Fact, NonNullable<FactQuery['after']>>(query.limit, query.after, page, (fact) => fact, open);
    });
  }

  edges(principal: Principal, query: EdgeQuery): Promise<Fact[]> {
    return this.#keyring.reading(principal.tenantId, async (keys) => {
      const queries = asked(keys, query, (each) => sealedEdges(keys, each));
      const pages = await Promise.all(queries.map((each) => this.#facts.edges(principal, each)));
      return openedFacts(keys, pages.flat().slice(0, query.limit));
    });
  }
}

function mostCertainFirst(a: Fact, b: Fact): number {
  const byTime = Date.parse(b.createdAt) - Date.parse(a.createdAt);
  return b.confidence - a.confidence || byTime || (a.factId < b.factId ? 1 : -1);
}
