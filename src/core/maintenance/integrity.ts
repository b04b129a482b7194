/** Verifying that stored contents are what was written: the hashes of all contents, including superseded ones. */

import type { Entry } from '../../domain/entry.ts';
import type { RunChange } from '../../domain/maintenance.ts';
import type { ArchivedEntry, ArchivedVersion, Place } from '../../ports/archive.ts';
import { contentHash, indexedText } from '../remember/content.ts';
import { lexemesOf } from '../text/lexemes.ts';
import { nextEntries, placeIn } from './entry-pages.ts';
import type { Batch, Job, JobContext, Progress } from './job.ts';

const PAGE = 200;

export const integrity: Job = {
  name: 'integrity',
  counted: ['examined', 'tampered', 'unindexed'],
  batch: (context, progress) =>
    progress['phase'] === 'versions' ? checkVersions(context, progress) : checkEntries(context, progress),
};

async function checkEntries(context: JobContext, progress: Progress): Promise<Batch> {
  const { items, last, unreadable = [] } = await nextEntries(context, progress);
  return {
    changes: [...items.flatMap(problemsOf), ...unreadable.map(unreadableChange)],
    counts: { examined: items.length + unreadable.length },
    progress: last === undefined ? { phase: 'versions' } : { after: last },
  };
}

async function checkVersions({ dependencies, tenantId }: JobContext, progress: Progress): Promise<Batch> {
  const { archive } = dependencies;
  const { items, last, unreadable = [] } = await archive.read(tenantId, 'versions', PAGE, placeIn(progress));
  const tampered = items.filter(({ memory }) => !isGenuine(memory)).map(tamperedVersion);
  return {
    changes: [...tampered, ...unreadable.map(unreadableChange)],
    counts: { examined: items.length + unreadable.length },
    progress: last && { phase: 'versions', after: last },
  };
}

function isGenuine({ content, contentHash: hash }: Entry): boolean {
  return contentHash(content) === hash;
}

function problemsOf({ entry, lexemes, embeddings }: ArchivedEntry): RunChange[] {
  const { id: entryId, version: toVersion } = entry;
  const changes: RunChange[] = [];
  if (!isGenuine(entry)) {
    changes.push({ action: 'tampered', entryId, toVersion, detail: 'The content does not fit its hash.' });
  }
  const missing = [
    ...(lexemes.length === 0 && lexemesOf(indexedText(entry)).length > 0 ? ['words'] : []),
    ...(embeddings.length === 0 ? ['vectors'] : []),
  ];
  if (missing.length > 0) {
    changes.push({ action: 'unindexed', entryId, toVersion, detail: `It has no ${missing.join(' and no ')}.` });
  }
  return changes;
}

function unreadableChange([id, version]: Place): RunChange {
  const toVersion = version === undefined ? {} : { toVersion: Number(version) };
  return { action: 'tampered', entryId: String(id), ...toVersion, detail: 'It cannot be read.' };
}

function tamperedVersion({ entryId, memory }: ArchivedVersion): RunChange {
  return {
    action: 'tampered',
    entryId,
    toVersion: memory.version,
    detail: 'The content of a superseded version does not fit its hash.',
  };
}
