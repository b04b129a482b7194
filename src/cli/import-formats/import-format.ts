/** What a format of others is to an import: how it is known, and how it is read as drafts of memories. */

import type { Role } from '../../domain/kind.ts';
import type { Given } from '../command.ts';
import type { FormatName } from './format-names.ts';

/** A memory as the source has it. Where it goes the command line says. */
export interface ImportDraft {
  /** What the source calls it, unique in this format: by this it is known again. */
  readonly id: string;
  readonly kind: 'semantic' | 'episodic';
  readonly content: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
  /** When it happened, or began to hold. */
  readonly validFrom?: string | undefined;
  readonly expiresAt?: string | undefined;
  readonly role?: Role;
  readonly turn?: number;
  /** Of whom the source says that it is; what is not said is whoever imports. */
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Of the agent alone, and of no user. */
  readonly isAgents?: boolean;
  /** The external id, where another part of Lamina has to know it by that. Default: made of format and id. */
  readonly externalId?: string | undefined;
  /** Where it stands in the source, for messages: `Item 3`. */
  readonly where: string;
}

/** What does not become a memory is said, never dropped. */
export interface Telling {
  /** What cannot be carried over, in the plural: `images`. */
  leftOut(what: string, count?: number): undefined;
  /** What is broken, and where. */
  problem(where: string, what: string): undefined;
}

/** Where nobody wants to know. */
export const UNTOLD: Telling = { leftOut: () => undefined, problem: () => undefined };

/** What is looked at to tell a format: the first value where it is JSON, and whether there is Markdown. */
export interface Sample {
  readonly hasMarkdown: boolean;
  readonly first?: Readonly<Record<string, unknown>> | undefined;
}

export interface ImportFormat {
  /** As `--from` names it. */
  readonly name: FormatName;
  readonly title: string;
  /** Completes "it reads …". */
  readonly reads: string;
  detect(sample: Sample): boolean;
  /** In bounded memory; throws `NOT_FOUND` where there is nothing to read. Read twice: to check it, and to write it. */
  drafts?(path: string, telling: Telling): AsyncGenerator<ImportDraft, void>;
  /** Instead of drafts: it is written in a way of its own. */
  run?(given: Given, path: string): Promise<number>;
}
