/** The Letta adapter against a double of its server. */

import { describe, expect, it } from 'vitest';
import type { DeclaringProvider } from '../src/domain/provider.ts';
import { lettaProvider } from '../src/providers/letta-provider.ts';
import { ManualClock } from '../src/testing/manual-clock.ts';
import { providerContract } from '../src/testing/provider-contract.ts';
import { untilTestEnds, type JsonServer } from './json-server.ts';
import { LETTA_AGENT, LETTA_KEY, startLettaServer } from './letta-double.ts';

async function opened(server: JsonServer, agentId = LETTA_AGENT): Promise<DeclaringProvider> {
  const provider = lettaProvider({ clock: new ManualClock(), random: () => 0 });
  await provider.initialize({ baseUrl: server.url, apiKey: LETTA_KEY, agentId });
  return provider;
}

providerContract({ describe, it }, 'letta', async () => {
  const server = await startLettaServer();
  return { provider: await opened(server), userId: 'alice', close: () => server.close() };
});

const place = { layer: 'project', identifiers: { projectId: 'a=b' } } as const;

describe('what a Letta server is asked', () => {
  it('layers are tags, and so are tags', async () => {
    const server = untilTestEnds(await startLettaServer());
    const provider = await opened(server);
    const metadata = { tags: ['tall', '_layer=company'] };
    const { memory } = await provider.add({ ...place, content: 'A lighthouse', metadata });
    expect(memory.metadata).toEqual(metadata);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: `/v1/agents/${LETTA_AGENT}/archival-memory`,
      headers: { authorization: `Bearer ${LETTA_KEY}` },
      body: { text: 'A lighthouse', tags: ['_layer=project', '_projectId=a=b', 'tag=tall', 'tag=_layer=company'] },
    });
    await provider.search({ query: 'lighthouse', layers: ['project'], identifiers: place.identifiers });
    expect(server.requests[1]).toMatchObject({
      path: '/v1/passages/search',
      body: {
        query: 'lighthouse',
        agent_id: LETTA_AGENT,
        tags: ['_layer=project', '_projectId=a=b'],
        tag_match_mode: 'all',
        limit: 100,
      },
    });
  });

  it('goes through all passages of the agent, and leaves those alone that are its own', async () => {
    const server = untilTestEnds(await startLettaServer());
    const provider = await opened(server);
    for (let index = 0; index < 201; index += 1) await provider.add({ ...place, content: `note ${index}` });
    const { memories, totalCount } = await provider.list({ ...place, limit: 100 });
    expect([memories.length, totalCount]).toEqual([100, 201]);
    server.requests.length = 0;
    const diary = await fetch(`${server.url}/v1/agents/${LETTA_AGENT}/archival-memory?limit=1`, {
      headers: { authorization: `Bearer ${LETTA_KEY}` },
    });
    const [{ id } = { id: '' }] = (await diary.json()) as { id: string }[];
    expect(await provider.get({ id })).toEqual({ memory: null });
    expect(await provider.delete({ id })).toEqual({ success: false });
    expect(server.requests.some(({ method }) => method === 'DELETE')).toBe(false);
  });
});

describe('a Letta server with trouble', () => {
  it('does not know the agent', async () => {
    const server = untilTestEnds(await startLettaServer());
    const provider = await opened(server, 'agent-unknown');
    await expect(provider.list(place)).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' });
    expect(await provider.healthCheck()).toMatchObject({ status: 'unhealthy' });
  });

  it('cuts a text into several: that is refused, and nothing of it stays', async () => {
    const server = untilTestEnds(await startLettaServer());
    const provider = await opened(server);
    await expect(provider.add({ ...place, content: 'word '.repeat(2000) })).rejects.toMatchObject({
      code: 'CONTENT_TOO_LONG',
    });
    expect((await provider.list(place)).totalCount).toBe(0);
  });
});
