/** Binds the use cases to what they need. */

import { get, list, versions } from './browse/browse.ts';
import type { Core } from './core.ts';
import type { Dependencies } from './dependencies.ts';
import { forget, remove } from './forget/forget.ts';
import { search } from './recall/search.ts';
import { addMany } from './remember/add.ts';
import { update } from './remember/update.ts';

export function createCore(dependencies: Dependencies): Core {
  return {
    add: async (principal, input) => {
      const [output] = await addMany(dependencies, principal, [input]);
      if (output === undefined) throw new Error('A write of one entry answered with none.');
      return output;
    },
    addMany: (principal, inputs) => addMany(dependencies, principal, inputs),
    search: (principal, input) => search(dependencies, principal, input),
    list: (principal, input) => list(dependencies, principal, input),
    get: (principal, input) => get(dependencies, principal, input),
    update: (principal, input) => update(dependencies, principal, input),
    delete: (principal, id) => remove(dependencies, principal, id),
    forget: (principal, input) => forget(dependencies, principal, input),
    versions: (principal, id) => versions(dependencies, principal, id),
  };
}
