/** What a process of a benchmark says next. */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Throws when the process ends instead. */
export async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const heard = new AbortController();
  const { signal } = heard;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`A process of the benchmark ended with ${String(code)}.`);
  });
  ended.catch(() => {});
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Message];
    return message;
  } finally {
    heard.abort();
  }
}
