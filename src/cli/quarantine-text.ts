/** How a command says that something it wrote is found only after somebody looked at it. */

import type { Given } from './command.ts';
import { commandLines } from './command-lines.ts';
import { flagsAgain, type Spot } from './flags-again.ts';

/** Where somebody can look at it. Without a count of the one that the line before tells of. */
export function quarantineText(given: Given, spots: readonly Spot[], count?: number): string {
  const which = count === undefined ? 'It' : `${count} of them`;
  const waits = count === undefined || count === 1 ? 'is in quarantine and is' : 'are in quarantine and are';
  const lines = spots.map((spot) => ['lamina', 'quarantine', 'list', ...flagsAgain(given, spot)]);
  return commandLines(`${which} ${waits} not found before somebody looks:`, lines).join('\n');
}
