/** What a memory says, where only its id is known. It is looked up without counting as an access. */

import type { VNode } from 'preact';
import { useAnswer } from '../../api/use-answer.ts';

interface MemoryLabelProps {
  readonly id: string;
  /** Another version is looked up anew. */
  readonly version: number | undefined;
  /** Else it stays with the id, as it does for what is gone or not to be seen. */
  readonly isAsked: boolean;
}

export function MemoryLabel({ id, version, isAsked }: MemoryLabelProps): VNode {
  const answer = useAnswer(
    isAsked ? `label ${id} ${version}` : undefined,
    async (memory) => (await memory.versions({ id })).versions[0]?.memory.content,
  );
  return answer.data === undefined || answer.error !== undefined ? (
    <code class="memory-label">{id}</code>
  ) : (
    <span class="memory-label">{answer.data}</span>
  );
}
