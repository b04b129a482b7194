/** Where an operation stands in the HTTP reference. */

import { headingSlug } from '../../docs/.vitepress/heading-slug.ts';
import { OPERATIONS, type OperationName } from '../../src/operations/table.ts';
import { fileNameOf } from './markdown.ts';

/** From a page of the folder of that reference: `facts.md#factsadd`. */
export function operationLink(name: OperationName): string {
  return `${fileNameOf(OPERATIONS[name].group)}.md#${headingSlug(name)}`;
}
