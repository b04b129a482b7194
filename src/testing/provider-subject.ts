/** What the provider contract is run against, and how each of its tests gets a fresh one. */

import { failure } from './contract-assertions.ts';
import assert from 'node:assert/strict';
import type {
  AddMemoryInput,
  DeclaringProvider,
  MemoryEntry,
  MemoryProviderAdapter,
  ProviderCapability,
  SearchMemoryInput,
} from '../domain/provider.ts';
import { memoryEntrySchema } from '../domain/provider.ts';
import type { Identifiers } from '../domain/scope.ts';
import type { TestRunner } from './contract-subject.ts';

/** A provider that is initialized and holds nothing. */
export interface ProviderSubject {
  /** What it cannot do stands in `absent`; without that it can do everything. */
  readonly provider: MemoryProviderAdapter & Partial<Pick<DeclaringProvider, 'absent'>>;
  /** The user for whom it may write. */
  readonly userId: string;
  close(): Promise<void>;
}

export type OpenProvider = () => Promise<ProviderSubject>;

/** A provider in a test, with what the tests do with it again and again. */
export class ProviderTester {
  readonly provider: MemoryProviderAdapter;
  readonly absent: readonly ProviderCapability[];
  readonly identifiers: Required<Omit<Identifiers, 'contextId'>>;

  constructor({ provider, userId }: ProviderSubject) {
    this.provider = provider;
    this.absent = provider.absent ?? [];
    this.identifiers = {
      userId,
      agentId: 'planner',
      sessionId: 'monday',
      projectId: 'apollo',
      teamId: 'core',
      orgId: 'research',
      companyId: 'initech',
    };
  }

  lacks(capability: ProviderCapability): boolean {
    return this.absent.includes(capability);
  }

  /** Adds, and holds what comes back against the schema. */
  async add(input: Partial<AddMemoryInput> & Pick<AddMemoryInput, 'content'>): Promise<MemoryEntry> {
    const { memory, embeddingGenerated } = await this.provider.add({
      layer: 'project',
      identifiers: this.identifiers,
      ...input,
    });
    assert.equal(typeof embeddingGenerated, 'boolean');
    return conforming(memory);
  }

  async get(id: string): Promise<MemoryEntry | null> {
    const { memory } = await this.provider.get({ id });
    return memory && conforming(memory);
  }

  /** What a search brings up when nothing is too far off, by content, in order. */
  async found(input: Partial<SearchMemoryInput> & Pick<SearchMemoryInput, 'query'>): Promise<string[]> {
    const { results } = await this.provider.search({
      identifiers: this.identifiers,
      limit: 100,
      ...(!this.lacks('threshold') && { threshold: 0 }),
      ...input,
    });
    for (const { memory, score, layer } of results) {
      conforming(memory);
      assert.equal(layer, memory.layer);
      assert.ok(score >= 0 && score <= 1, `a score of ${score} is not between 0 and 1`);
    }
    return results.map(({ memory }) => memory.content);
  }

  /** Refused for good, with a sentence that says what cannot be done. */
  async refused(capability: ProviderCapability, call: Promise<unknown>): Promise<void> {
    const error = await failure('PROVIDER_ERROR', call);
    assert.equal(error.retryable, false, `${capability} is not there: trying again does not help`);
  }
}

function conforming(memory: MemoryEntry): MemoryEntry {
  assert.deepEqual(memoryEntrySchema.parse(memory), memory, 'a memory does not fit its schema');
  assert.deepEqual(JSON.parse(JSON.stringify(memory)), memory, 'a memory is not plain JSON');
  return memory;
}

/** Declares a test that gets a provider of its own. */
export type ProviderTest = (name: string, body: (tester: ProviderTester) => Promise<void>) => void;

export function providerTest({ it }: TestRunner, open: OpenProvider): ProviderTest {
  return (name, body) => {
    it(name, async () => {
      const subject = await open();
      try {
        await body(new ProviderTester(subject));
      } finally {
        await subject.close();
      }
    });
  };
}
