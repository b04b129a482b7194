/** Facts as they are needed: all of them page by page up to a bound, or those about one thing. Every time that they held. */

import { signal, type ReadonlySignal } from '@preact/signals';
import { asLaminaError, type LaminaError } from '../../../../src/domain/error.ts';
import type { Fact } from '../../../../src/domain/fact.ts';
import type { Identifiers } from '../../../../src/domain/scope.ts';
import { ask, isAborted } from '../../api/ask.ts';
import { timed, type TimedFact } from './fact-graph.ts';

const PAGE_SIZE = 100;
/** What can still be read as a picture. */
const MAX_FACTS = 5000;
/** About one thing, in each direction. */
const MAX_ABOUT = 500;
/** The picture grows in a few steps, not with every page. */
const GROWTH = 2;

export interface FactLoader {
  /** Counts up whenever anything below changed. */
  readonly version: ReadonlySignal<number>;
  readonly facts: ReadonlyMap<string, TimedFact>;
  readonly isLoading: boolean;
  /** Whether these are all. */
  readonly isWhole: boolean;
  readonly error: LaminaError | undefined;
  /** Those about these things; about everything without names. Asks only for what is not there. */
  ensure(names: readonly string[] | undefined): void;
  retry(): void;
  close(): void;
}

type About = Partial<Pick<Fact, 'object' | 'subject'>>;

export function createFactLoader(identifiers: Identifiers | undefined): FactLoader {
  const version = signal(0);
  const controller = new AbortController();
  const facts = new Map<string, TimedFact>();
  const asked = new Set<string | undefined>();
  let loading = 0;
  let isWhole = false;
  let error: LaminaError | undefined;
  let wanted: readonly string[] | undefined;

  const told = (): void => {
    if (!controller.signal.aborted) version.value += 1;
  };

  /** Whether it came to the end. */
  const loadAll = async (about: About, limit: number): Promise<boolean> => {
    let cursor: string | undefined;
    let toldAt = PAGE_SIZE;
    for (let count = 0; count < limit;) {
      const page = await ask(
        (memory) =>
          memory.facts.list({
            ...about,
            includeClosed: true,
            limit: PAGE_SIZE,
            ...(identifiers !== undefined && { identifiers }),
            ...(cursor !== undefined && { cursor }),
          }),
        controller.signal,
      );
      for (const fact of page.facts) facts.set(fact.factId, timed(fact));
      count += page.facts.length;
      if (page.nextCursor === null) return true;
      cursor = page.nextCursor;
      if (count >= toldAt) {
        toldAt = count * GROWTH;
        told();
      }
    }
    return false;
  };

  const load = async (name: string | undefined): Promise<void> => {
    asked.add(name);
    loading += 1;
    try {
      if (name === undefined) isWhole = await loadAll({}, MAX_FACTS);
      else await Promise.all([loadAll({ subject: name }, MAX_ABOUT), loadAll({ object: name }, MAX_ABOUT)]);
    } catch (thrown) {
      if (isAborted(thrown)) return;
      asked.delete(name);
      error = asLaminaError(thrown);
    } finally {
      loading -= 1;
    }
    told();
  };

  const ensure = (names: readonly string[] | undefined): void => {
    wanted = names;
    if (isWhole || error !== undefined) return;
    for (const name of names ?? [undefined]) if (!asked.has(name)) void load(name);
  };

  return {
    version,
    facts,
    get isLoading() {
      return loading > 0;
    },
    get isWhole() {
      return isWhole;
    },
    get error() {
      return error;
    },
    ensure,
    retry: () => {
      error = undefined;
      ensure(wanted);
      told();
    },
    close: () => controller.abort(),
  };
}
