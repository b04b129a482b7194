/** What one process does for all in the background, for as long as it leads. */

import { pause } from '../../domain/pause.ts';
import type { Dependencies } from '../dependencies.ts';

/** What has expired is out of sight at once; this is only about the room that it takes. */
const SWEEP_PAUSE_MS = 10 * 60_000;

/** Until the signal tells to stop. What fails is tried again the next time. */
export async function keepUp({ state }: Pick<Dependencies, 'state'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await state.sweep(signal).catch(() => {});
    await pause(SWEEP_PAUSE_MS, signal);
  }
}
