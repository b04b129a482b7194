/** The turns of conversations that a fact was extracted from. Pure. */

import { z } from 'zod';
import { sourceSchema } from '../../domain/entry.ts';
import { EXTRACTION_KEYS } from '../../domain/extraction.ts';
import type { Fact } from '../../domain/fact.ts';

const furtherSchema = z.object({
  episode: z.string(),
  type: sourceSchema.shape.type,
  quote: z.string(),
  start: z.int(),
  end: z.int(),
});

type FurtherSource = z.output<typeof furtherSchema>;

/** Those after the first. Metadata is everybody's to write: what is no such list is none. */
export function furtherSources({ metadata }: Fact): FurtherSource[] {
  return z.array(furtherSchema).catch([]).parse(metadata[EXTRACTION_KEYS.also]);
}

/** The fact without these turns and what they say; null where no other says it, and the same where none of them did. */
export function withoutSources(fact: Fact, gone: ReadonlySet<unknown>): Fact | null {
  const { episode, quote, start, end, also } = EXTRACTION_KEYS;
  const isFirstGone = gone.has(fact.metadata[episode]);
  const all = furtherSources(fact);
  const left = all.filter((source) => !gone.has(source.episode));
  if (!isFirstGone && left.length === all.length) return fact;
  const [next, ...others] = isFirstGone ? left : [undefined, ...left];
  if (isFirstGone && next === undefined) return null;
  const metadata = { ...fact.metadata };
  delete metadata[also];
  if (others.length > 0) metadata[also] = others;
  if (next === undefined) return { ...fact, metadata };
  Object.assign(metadata, { [episode]: next.episode, [quote]: next.quote, [start]: next.start, [end]: next.end });
  return { ...fact, metadata, source: { type: next.type, reference: next.episode } };
}
