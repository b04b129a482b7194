/** Where a memory is shown: beside the list if one is beside it already, else on its own page. */

import { hrefWith, queryOf } from './location.ts';
import { entryHref } from './pages.ts';

export function memoryHref(id: string): string {
  return queryOf('entry') === '' ? entryHref(id) : hrefWith({ entry: id });
}
