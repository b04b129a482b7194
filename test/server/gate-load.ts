/**
 * A program that sends much through the gate, 32 at a time, and prints how many bytes the old generation has grown by in all. It is
 * one of its own, because a thread of a test collects its garbage in another way than a service does.
 */

import { getHeapSpaceStatistics } from 'node:v8';
import { NIL_TENANT } from '../../src/domain/principal.ts';
import { Gate } from '../../src/server/gate.ts';
import { DEFAULT_SERVICE_LIMITS } from '../../src/server/service-limits.ts';

const [CONNECTIONS, REQUESTS, ROUNDS] = [32, 100, 8];

const gate = new Gate(DEFAULT_SERVICE_LIMITS);

function pass(): Promise<void> {
  return new Promise((resolve, failed) => {
    // What belongs to a request: some kilobytes, as headers and answers are.
    const held = Array.from({ length: 500 }, (_, index) => index / 2);
    gate.queue(
      { tenantId: NIL_TENANT, userId: 'alice' },
      { work: async () => held.length, answer: () => (held.length > 0 ? resolve() : failed()), failed },
    );
  });
}

async function connection(): Promise<void> {
  for (let at = 0; at < REQUESTS; at += 1) await pass();
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}

let grown = 0;
for (let round = 0; round <= ROUNDS; round += 1) {
  const before = oldBytes();
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  // The first one warms up. It is less where the old generation was collected meanwhile.
  if (round > 0) grown += Math.max(0, oldBytes() - before);
}
process.stdout.write(String(grown));
