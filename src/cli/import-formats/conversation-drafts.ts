/** A conversation of any source as drafts: an episode for each message. Pure. */

import type { Role } from '../../domain/kind.ts';
import type { ImportDraft, Telling } from './import-format.ts';

export interface ConversationMessage {
  /** Undefined where the source has none: then it goes by its place. */
  readonly id: string | undefined;
  readonly role: Role;
  readonly content: string;
  readonly at: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface Conversation {
  readonly id: string;
  readonly title: string | undefined;
  /** As they were shown. */
  readonly messages: readonly ConversationMessage[];
}

export function* conversationDrafts(
  { id: conversation, title, messages }: Conversation,
  where: string,
  telling: Telling,
): Generator<ImportDraft, void> {
  if (messages.length === 0) telling.leftOut('conversations without messages');
  for (const [turn, { id, role, content, at, metadata }] of messages.entries()) {
    yield {
      id: `${conversation}/${id ?? turn}`,
      where: `${where}, message ${turn + 1}`,
      kind: 'episodic',
      content,
      role,
      turn,
      metadata: { conversation, ...(title !== undefined && { title }), ...metadata },
      validFrom: at,
      sessionId: conversation,
    };
  }
}
