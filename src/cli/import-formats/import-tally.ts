/** What an import finds on its way: counted, with the first of what is wrong and of what would be stored. */

import { LaminaError } from '../../domain/error.ts';
import { reviewSpotOf, spotOf, type Spot } from '../flags-again.ts';
import type { AddInput } from './draft-inputs.ts';
import type { Telling } from './import-format.ts';

interface Problem {
  readonly where: string;
  readonly what: string;
}

/** More of them do not help more. */
const MAX_PROBLEMS = 20;
const MAX_SHOWN = 3;

export class ImportTally implements Telling {
  readonly problems: Problem[] = [];
  readonly first: AddInput[] = [];
  /** By layer and kind: `user semantic`. */
  readonly counts: Record<string, number> = {};
  readonly users = new Map<string, number>();
  readonly left: Record<string, number> = {};
  /** Where everything lies, and where what is held can be reviewed: by what they say, each once. */
  readonly #spots = new Map<string, Spot>();
  readonly #reviews = new Map<string, Spot>();
  readonly #own: string | undefined;
  problemCount = 0;
  total = 0;

  /** The user who imports needs no naming. */
  constructor(own?: string) {
    this.#own = own;
  }

  get spots(): Spot[] {
    return [...this.#spots.values()];
  }

  get reviews(): Spot[] {
    return [...this.#reviews.values()];
  }

  leftOut(what: string, count = 1): undefined {
    this.left[what] = (this.left[what] ?? 0) + count;
  }

  problem(where: string, what: string): undefined {
    this.problemCount += 1;
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ where, what });
  }

  add(user: string, inputs: readonly AddInput[]): void {
    for (const input of inputs) {
      const name = `${input.layer} ${input.kind ?? 'semantic'}`;
      this.counts[name] = (this.counts[name] ?? 0) + 1;
      if (this.first.length < MAX_SHOWN) this.first.push(input);
      note(this.#spots, this.#spotOf(user, input));
    }
    this.total += inputs.length;
    this.users.set(user, (this.users.get(user) ?? 0) + inputs.length);
  }

  /** One that waits for review. */
  held(user: string, input: AddInput): void {
    note(this.#reviews, reviewSpotOf(this.#spotOf(user, input)));
  }

  #spotOf(user: string, input: AddInput): Spot {
    return spotOf(user === this.#own ? undefined : user, input);
  }

  /** Throws `VALIDATION_FAILED` where anything is wrong. */
  assertFlawless(): void {
    const [first] = this.problems;
    if (first === undefined) return;
    const more = this.problemCount > 1 ? ` There are ${this.problemCount - 1} more.` : '';
    throw new LaminaError(
      'VALIDATION_FAILED',
      `${first.where}: ${first.what}.${more} Nothing was written. Mend it, or leave out --strict.`,
    );
  }
}

function note(spots: Map<string, Spot>, spot: Spot): void {
  spots.set(JSON.stringify([spot.user, spot.layer, spot.id]), spot);
}
