/** Whether one text may stand for another that looks alike to an embedding, so that only one of them is kept or shown. */

import type { DeduplicationConfig } from '../../domain/lifecycle-policy.ts';
import { sameFigures } from '../../domain/near-duplicate.ts';
import { sameWords } from '../text/same-words.ts';

export function standsFor({ by }: DeduplicationConfig, a: string, b: string): boolean {
  return by === 'words' ? sameWords(a, b) : sameFigures(a, b);
}
