/** All that are compared, with what a reader has to know about each. */

import type { OpenPeer } from './peer.ts';

export interface PeerEntry {
  readonly name: string;
  /** The package whose version is reported; none for what is no package. */
  readonly package?: string;
  readonly needsPostgres: boolean;
  /** What is on the disk when an add returns; fsyncs on files were counted with strace. */
  readonly durability: string;
  /** How users are kept apart. */
  readonly scoping: string;
  /** Imported in the peer's own process only, so that nobody carries another's code. */
  readonly load: () => Promise<OpenPeer>;
}

export const PEERS: readonly PeerEntry[] = [
  {
    name: 'raw-sqlite',
    needsPostgres: false,
    durability: 'WAL, 1 fsync per add: one transaction',
    scoping: 'written into each statement',
    load: async () => (await import('./adapters/raw-sqlite-peer.ts')).openRawSqlite,
  },
  {
    name: 'lamina-sqlite',
    needsPostgres: false,
    durability: 'WAL, 1 fsync per add: one transaction',
    scoping: 'the principal that acts',
    load: async () => (await import('./adapters/lamina-peer.ts')).openLaminaOnSqlite,
  },
  {
    name: 'mem0',
    package: 'mem0ai',
    needsPostgres: false,
    durability: 'rollback journal, 8 fsyncs per add: two transactions, for the vector and for the history',
    scoping: 'filter over all rows, in JavaScript',
    load: async () => (await import('./adapters/mem0-peer.ts')).openMem0,
  },
  {
    name: 'mastra-libsql',
    package: '@mastra/memory',
    needsPostgres: false,
    durability: 'WAL, 2 fsyncs per add: two transactions, for the message and for the vector',
    scoping: 'filter on resource_id',
    load: async () => (await import('./adapters/mastra-peer.ts')).openMastra,
  },
  {
    name: 'mcp-server-memory',
    package: '@modelcontextprotocol/server-memory',
    needsPostgres: false,
    durability: 'the whole file rewritten and renamed, no fsync: a crash of the machine may lose it',
    scoping: 'none: the server has no users',
    load: async () => (await import('./adapters/mcp-server-peer.ts')).openMcpServer,
  },
  {
    name: 'langgraph-memory',
    package: '@langchain/langgraph',
    needsPostgres: false,
    durability: 'none: gone with the process',
    scoping: 'namespace as a text prefix',
    load: async () => (await import('./adapters/langgraph-peers.ts')).openInMemoryStore,
  },
  {
    name: 'raw-postgres',
    needsPostgres: true,
    durability: 'WAL, 1 fsync per add: one transaction',
    scoping: 'written into each statement',
    load: async () => (await import('./adapters/raw-postgres-peer.ts')).openRawPostgres,
  },
  {
    name: 'lamina-postgres',
    needsPostgres: true,
    durability: 'WAL, 1 fsync per add: one transaction',
    scoping: 'row-level security',
    load: async () => (await import('./adapters/lamina-peer.ts')).openLaminaOnPostgres,
  },
  {
    name: 'langgraph-postgres',
    package: '@langchain/langgraph-checkpoint-postgres',
    needsPostgres: true,
    durability: 'WAL, 2 commits per add, with an fsync each: two transactions, for the item and for the vector',
    scoping: 'namespace as a text prefix (LIKE)',
    load: async () => (await import('./adapters/langgraph-peers.ts')).openPostgresStore,
  },
];

/** Throws for a name that is none of them. */
export function peerNamed(name: string): PeerEntry {
  const peer = PEERS.find((entry) => entry.name === name);
  if (peer !== undefined) return peer;
  throw new Error(`There is no peer "${name}". There are: ${PEERS.map((entry) => entry.name).join(', ')}.`);
}
