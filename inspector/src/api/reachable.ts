/** Whether the service answers, as the last request that came to an end tells. */

import { signal, type ReadonlySignal } from '@preact/signals';

const answers = signal(true);

export const isReachable: ReadonlySignal<boolean> = answers;

/** As `fetch`, and takes note of whether anybody was there. */
export async function fetchNoted(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    answers.value = true;
    return response;
  } catch (error) {
    // Whoever was called off knows nothing.
    if (init.signal?.aborted !== true) answers.value = false;
    throw error;
  }
}
