/** Whether a message is about whoever sends it, and under which names facts about them are written down. Pure. */

import type { Fact } from '../../domain/fact.ts';
import { nameSpellings } from '../../domain/name-spellings.ts';
import { PERSONAL_LAYERS } from '../../domain/scope.ts';
import { namesOf } from '../text/own-person.ts';

/** English only, as what is told by oneself is. */
const FIRST_PERSON = /(?<![\p{L}\p{M}\p{N}])(?:i|me|my|mine|myself)(?![\p{L}\p{M}\p{N}])/iu;

/** As language models call the one whose conversation they read. In the layers of groups it is somebody else. */
const ANYBODY: ReadonlySet<string> = new Set(['user', 'User', 'the user', 'The user', 'The User', 'I', 'me']);

export class Oneself {
  readonly #names: ReadonlySet<string>;

  constructor(userId: string) {
    const [first, last] = namesOf(userId);
    const names = [first, last === undefined ? undefined : `${first} ${last}`].filter((name) => name !== undefined);
    this.#names = new Set([userId, ...names.flatMap((name) => nameSpellings(name))]);
  }

  /** To look facts up by; none where the message does not say "I" or "my". */
  namesIn(message: string): string[] {
    return FIRST_PERSON.test(message) ? [...ANYBODY, ...this.#names] : [];
  }

  isAbout({ subject, object, layer }: Fact): boolean {
    const isOwn = (name: string): boolean => this.#names.has(name) || (PERSONAL_LAYERS.has(layer) && ANYBODY.has(name));
    return isOwn(subject) || isOwn(object);
  }
}
