/** What went wrong in a round of upkeep: gathered, because what fails for one tenant may fail for all, and told once. */

import { asLaminaError } from '../../domain/error.ts';
import type { Telemetry, UpkeepFailure, UpkeepStep } from '../../ports/telemetry.ts';

export class UpkeepFailures {
  readonly #gathered = new Map<string, UpkeepFailure>();

  /** Notes what was thrown, and goes on without it. */
  in(step: UpkeepStep): (thrown: unknown) => undefined {
    return (thrown) => {
      const { code } = asLaminaError(thrown);
      const name = `${step} ${code}`;
      this.#gathered.set(name, { step, code, count: (this.#gathered.get(name)?.count ?? 0) + 1 });
      return undefined;
    };
  }

  tell(telemetry: Pick<Telemetry, 'upkeepFailed'> | undefined): void {
    for (const failure of this.#gathered.values()) telemetry?.upkeepFailed?.(failure);
  }
}
