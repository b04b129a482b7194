/**
 * A process with Lamina embedded, which calls what it is told to line by line and answers each call when it is done.
 * Started by crash-subjects.ts with the address of a database, to be killed.
 */

import { createInterface } from 'node:readline';
import { Lamina } from '../src/compose/lamina.ts';
import { asLaminaError } from '../src/domain/error.ts';
import { principalSchema } from '../src/domain/principal.ts';
import type { CallName, OperationInput, StreamName } from '../src/operations/table.ts';
import { HashEmbedder } from '../src/testing/hash-embedder.ts';
import type { Told } from './crash-subjects.ts';

// That a file must not grow any more is then told by the call that wanted to.
process.on('SIGXFSZ', () => {});

const [database = '', who = '{}'] = process.argv.slice(2);
const principal = principalSchema.parse(JSON.parse(who));
const lamina = await Lamina.open({ database, embedder: new HashEmbedder() });
const [invoke, follow] = [lamina.invokeAs(principal), lamina.followAs(principal)];
const followed = new Map<number, AbortController>();

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

async function answer({ number, name, input, isStream }: Told): Promise<void> {
  try {
    if (!isStream) return say({ number, output: await invoke(name as CallName, input as OperationInput<CallName>) });
    const stopping = new AbortController();
    followed.set(number, stopping);
    for await (const page of follow(name as StreamName, input as OperationInput<StreamName>, stopping.signal)) {
      say({ number, output: page });
    }
  } catch (error) {
    say({ number, error: asLaminaError(error).toJSON() });
  }
}

say({ isReady: true });
for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line) as Told;
  if (told.name === undefined) followed.get(told.number)?.abort();
  else void answer(told);
}
await lamina.close();
