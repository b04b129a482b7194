/** A memory that waits for review: why it was laid apart, and letting it in or not. */

import type { VNode } from 'preact';
import type { Entry } from '../../../../src/domain/entry.ts';
import type { Suspicion } from '../../../../src/domain/suspicion.ts';
import { ask } from '../../api/ask.ts';
import { changed } from '../../api/changes.ts';
import { confirm } from '../../app/confirm.tsx';
import { useKeys } from '../../app/keyboard.ts';
import { toast, toastError } from '../../app/toasts.tsx';
import { Icon } from '../../components/icon.tsx';

const REASONS: Readonly<Record<Suspicion, string>> = {
  override: 'sets other instructions aside',
  role: 'speaks as the system, or as another turn',
  tool_call: 'imitates a call of a tool',
  exfiltration: 'would send data away',
  hidden: 'has characters that cannot be seen',
  encoded: 'hides something of this kind in an encoding',
  persistence: 'tells a model what to do from now on',
  unreviewed: 'comes from where everything is reviewed',
};

interface EntryReviewProps {
  readonly memory: Entry;
  readonly onGone: () => void;
}

async function releaseAsked({ id, version }: Entry): Promise<void> {
  const isSure = await confirm({
    title: 'Let this memory in?',
    text: 'Searches find it from then on, and agents are given it, marked with where it came from. It is noted who let it in.',
    action: 'Release',
  });
  if (!isSure) return;
  const { memory } = await ask((api) => api.quarantine.release({ id, expectedVersion: version }));
  changed({ id, memory });
  toast('Released.');
}

async function rejectAsked({ id, version }: Entry, onGone: () => void): Promise<void> {
  const isSure = await confirm({
    title: 'Reject this memory?',
    text: 'It is deleted for good, and it is noted who did it. This cannot be undone.',
    action: 'Reject for good',
    isDangerous: true,
  });
  if (!isSure) return;
  await ask((api) => api.quarantine.reject({ id, expectedVersion: version }));
  onGone();
  changed({ id, memory: null });
  toast('Rejected.');
}

export function EntryReview({ memory, onGone }: EntryReviewProps): VNode {
  const release = (): void => void releaseAsked(memory).catch(toastError);
  const reject = (): void => void rejectAsked(memory, onGone).catch(toastError);
  useKeys('Review', [
    { keys: ['y'], help: 'Release', run: release },
    { keys: ['#'], help: 'Reject for good', run: reject },
  ]);
  const reasons = memory.provenance?.quarantined ?? [];
  return (
    <div class="review">
      <p>
        <b>It waits for review, and nothing finds it meanwhile.</b> Somebody else may have written it
        {reasons.length > 0 && `, and it ${reasons.map((reason) => REASONS[reason]).join('; it ')}`}.
      </p>
      <div class="entry-actions">
        <button type="button" class="button" onClick={release}>
          <Icon name="restore" /> Release
        </button>
        <button type="button" class="button button-quiet-danger" onClick={reject}>
          <Icon name="trash" /> Reject
        </button>
      </div>
    </div>
  );
}
