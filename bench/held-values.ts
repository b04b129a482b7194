/** How much memory of the process a working value takes that is held there. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../src/compose/system.ts';
import { NIL_TENANT } from '../src/domain/principal.ts';
import { SqliteEngine } from '../src/engines/sqlite/sqlite-engine.ts';
import { whole } from './text-table.ts';

/** As many as are held of this size, and no more. */
const VALUES = 10_000;
const MAX_BYTES = 1024;

const PRINCIPAL = { tenantId: NIL_TENANT, userId: 'bench' };

/** Bytes for each, beside the file: what JavaScript has after its garbage was collected, before and after. */
export async function measureHeldValues(folder: string): Promise<number> {
  const engine = new SqliteEngine({ folder, clock: systemClock });
  const set = async (key: string): Promise<void> => {
    const value = { confidence: 0.9, data: `What was found of ${key} so far.` };
    await engine.state.write(PRINCIPAL, 'plan', key, { mutation: { type: 'set', value }, maxBytes: 1_000_000 });
    await engine.state.get(PRINCIPAL, 'plan', key);
  };
  await set('first');
  const before = collected();
  await Promise.all(Array.from({ length: VALUES }, (_, index) => set(`key ${index}`)));
  const bytes = (collected() - before) / VALUES;
  await engine.close();
  return bytes;
}

export function heldValuesReport(bytes: number): string {
  const verdict = bytes <= MAX_BYTES ? 'holds' : 'DOES NOT HOLD';
  return `A working value that is held in memory takes ${whole(bytes)} bytes of it; at most ${whole(MAX_BYTES)}: ${verdict}.`;
}

function collected(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let count = 0; count < 3; count += 1) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
