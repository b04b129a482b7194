/** Facts: what is so, how certain that is, and when; and the ways from one thing to another. */

import type {
  AddFactInput,
  AddFactOutput,
  DeleteFactInput,
  Fact,
  ListFactsInput,
  ListFactsOutput,
  NeighboursInput,
  NeighboursOutput,
  PathInput,
  PathOutput,
  UpdateFactInput,
} from '../../domain/fact.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dependencies } from '../dependencies.ts';
import { addFact, addFacts } from './add-facts.ts';
import { deleteFact, updateFact, visible } from './change-fact.ts';
import { listFacts } from './list-facts.ts';
import { neighbours } from './neighbours.ts';
import { path } from './path.ts';

export interface Facts {
  add(principal: Principal, input: AddFactInput): Promise<AddFactOutput>;
  /** All or none; outputs in the order of the inputs. An error in one of them says in which. */
  addMany(principal: Principal, inputs: readonly AddFactInput[]): Promise<AddFactOutput[]>;
  get(principal: Principal, factId: string): Promise<Fact | null>;
  list(principal: Principal, input: ListFactsInput): Promise<ListFactsOutput>;
  update(principal: Principal, input: UpdateFactInput): Promise<Fact>;
  delete(principal: Principal, input: DeleteFactInput): Promise<boolean>;
  neighbours(principal: Principal, input: NeighboursInput): Promise<NeighboursOutput>;
  path(principal: Principal, input: PathInput): Promise<PathOutput>;
}

export function createFacts(dependencies: Dependencies): Facts {
  return {
    add: (principal, input) => addFact(dependencies, principal, input),
    addMany: (principal, inputs) => addFacts(dependencies, principal, inputs, true),
    get: async (principal, factId) => visible(principal, await dependencies.facts.find(principal, factId)),
    list: (principal, input) => listFacts(dependencies, principal, input),
    update: (principal, input) => updateFact(dependencies, principal, input),
    delete: (principal, input) => deleteFact(dependencies, principal, input),
    neighbours: (principal, input) => neighbours(dependencies, principal, input),
    path: (principal, input) => path(dependencies, principal, input),
  };
}
