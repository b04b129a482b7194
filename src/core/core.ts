/** What memory does, gathered: one method per use case, each in a folder of its own. */

import type { GetInput, ListInput, ListOutput, Version } from '../domain/browse.ts';
import type { Entry } from '../domain/entry.ts';
import type { ForgetInput } from '../domain/forget.ts';
import type { Principal } from '../domain/principal.ts';
import type { SearchInput, SearchOutput } from '../domain/recall.ts';
import type { AddInput, AddOutput, UpdateInput, UpdateOutput } from '../domain/remember.ts';

export interface Core {
  add(principal: Principal, input: AddInput): Promise<AddOutput>;
  addMany(principal: Principal, inputs: readonly AddInput[]): Promise<AddOutput[]>;
  search(principal: Principal, input: SearchInput): Promise<SearchOutput>;
  list(principal: Principal, input: ListInput): Promise<ListOutput>;
  get(principal: Principal, input: GetInput): Promise<Entry | null>;
  update(principal: Principal, input: UpdateInput): Promise<UpdateOutput>;
  delete(principal: Principal, id: string): Promise<boolean>;
  forget(principal: Principal, input: ForgetInput): Promise<number>;
  versions(principal: Principal, id: string): Promise<Version[]>;
}
