/** What an event was about: the stream itself never says it, so the memory is looked up, without counting as an access. */

import type { VNode } from 'preact';
import type { Event } from '../../../../src/domain/event.ts';
import { useAnswer } from '../../api/use-answer.ts';

interface EventLabelProps {
  readonly event: Event;
  readonly isAsked: boolean;
}

export function EventLabel({ event: { memoryId, type, version }, isAsked }: EventLabelProps): VNode {
  const answer = useAnswer(
    isAsked && type !== 'deleted' ? `label ${memoryId} ${version}` : undefined,
    async (memory) => (await memory.versions({ id: memoryId })).versions[0]?.memory.content,
  );
  return answer.data === undefined ? (
    <code class="event-label">{memoryId}</code>
  ) : (
    <span class="event-label">{answer.data}</span>
  );
}
