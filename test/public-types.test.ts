/** What users can name: types of what they give and get, the same from `lamina` and from `lamina/client`. Checked by the compiler. */

import { describe, expectTypeOf, it } from 'vitest';
import type * as client from '../src/client/index.ts';
import type * as library from '../src/index.ts';
import { lookUpTool, runTool, type ToolFailure } from '../src/tools/index.ts';

type Memory = library.Memory;
type Options = library.LaminaOptions;

describe('the types of the package', () => {
  it('call a principal what is given to `as`', () => {
    expectTypeOf<library.Principal>().toEqualTypeOf<Parameters<library.Lamina['as']>[0]>();
    expectTypeOf<client.Principal>().toEqualTypeOf<library.Principal>();
    expectTypeOf<client.PrincipalInput>().toEqualTypeOf<library.PrincipalInput>();
  });

  it('let inputs be left out that need not say anything', () => {
    expectTypeOf<Memory['events']['position']>().toBeCallableWith();
    expectTypeOf<Memory['plans']['list']>().toBeCallableWith();
    expectTypeOf<Parameters<Memory['plans']['get']>>().toEqualTypeOf<[library.OperationInput<'plans.get'>]>();
  });

  it('have names for every option', () => {
    expectTypeOf<NonNullable<Options['engine']>>().toEqualTypeOf<library.Engine>();
    expectTypeOf<NonNullable<Options['telemetry']>>().toEqualTypeOf<library.Telemetry>();
    expectTypeOf<NonNullable<Options['tracing']>>().toEqualTypeOf<library.Tracing>();
    expectTypeOf<NonNullable<Options['clock']>>().toEqualTypeOf<library.Clock>();
    expectTypeOf<NonNullable<Options['ids']>>().toEqualTypeOf<library.Ids>();
    expectTypeOf<NonNullable<Options['turn']>>().toEqualTypeOf<Partial<library.TurnPolicy>>();
    expectTypeOf<NonNullable<Options['quarantine']>>().toEqualTypeOf<library.Quarantine>();
    expectTypeOf<NonNullable<Options['ranking']>>().toEqualTypeOf<Partial<library.Ranking>>();
    expectTypeOf<NonNullable<Options['redisFallback']>>().toEqualTypeOf<library.RedisFallback>();
    expectTypeOf<NonNullable<Options['qdrant']>>().toEqualTypeOf<library.QdrantOptions>();
    expectTypeOf<NonNullable<client.LaminaClientOptions['fetch']>>().toEqualTypeOf<client.Fetch>();
  });

  it('have names for what helpers take, and for results', () => {
    expectTypeOf<Parameters<typeof library.TaskContext.create>[1]>().toEqualTypeOf<client.SaveTaskInput>();
    expectTypeOf<Parameters<library.WorkflowState['set']>>().toEqualTypeOf<
      [key: string, value: client.Json, options?: client.SetOptions | undefined]
    >();
    expectTypeOf<Parameters<library.AgentMemory['store']>[2]>().toEqualTypeOf<client.StoreOptions | undefined>();
    expectTypeOf<Parameters<library.AgentMemory['passOn']>>().toEqualTypeOf<
      [source: client.ShareSource, target: client.ShareTarget, key: string, options?: client.ShareOptions | undefined]
    >();
    expectTypeOf<client.OperationOutput<'search'>['results'][number]>().toEqualTypeOf<client.SearchResult>();
    expectTypeOf<client.SearchResult['memory']>().toEqualTypeOf<library.Entry>();
    expectTypeOf<client.SearchResult['signals']>().toEqualTypeOf<client.Signals>();
    expectTypeOf<client.Entry>().toHaveProperty('trust').toEqualTypeOf<client.Trust>();
    expectTypeOf<client.Entry>().toHaveProperty('layer').toEqualTypeOf<client.Layer>();
  });

  it('say what a tool answers, and by which codes it fails', () => {
    const looked = () => runTool(lookUpTool, { memory: {} as Memory }, {});
    expectTypeOf<Awaited<ReturnType<typeof looked>>>().toHaveProperty('relations').toBeArray();
    expectTypeOf<ToolFailure['code']>().toEqualTypeOf<library.ErrorCode>();
  });
});
