/**
 * Values as memories. A text is the content as it is. Anything else has its JSON text for content, so that it can be found,
 * and is kept exactly in a field of the metadata, with the hash of that content: once somebody changes the content, the
 * content is what counts. The field is always written, because metadata is merged and a former value would stay.
 */

import { z } from 'zod';
import type { Entry } from '../../domain/entry.ts';
import { hasText } from '../../domain/has-text.ts';
import type { Json } from '../../domain/json.ts';
import { VALUE_FIELD } from '../../domain/router.ts';
import { jsonSchema } from '../../domain/state.ts';
import { contentHash } from '../remember/content.ts';

const keptSchema = z.strictObject({ json: jsonSchema, hash: z.string() });

export function writingOf(value: Json): { readonly content: string; readonly metadata: Record<string, unknown> } {
  // A blank text says nothing that could be found, so that it has to be kept as well.
  if (typeof value === 'string' && hasText(value)) return { content: value, metadata: { [VALUE_FIELD]: null } };
  const content = JSON.stringify(value);
  return { content, metadata: { [VALUE_FIELD]: { json: value, hash: contentHash(content) } } };
}

export function valueOf({ content, contentHash: hash, metadata }: Entry): Json {
  const kept = keptSchema.safeParse(metadata[VALUE_FIELD]);
  return kept.success && kept.data.hash === hash ? kept.data.json : content;
}
