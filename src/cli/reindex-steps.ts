/** The steps of changing the embedding model after its space was filled: how it stands, over, back, done, given up. */

import { answer } from './terminal/answer.ts';
import { counted } from './terminal/counted.ts';
import type { Command, Given } from './command.ts';
import {
  fillCommand,
  modelText,
  MODEL_FLAGS,
  MODEL_VARIABLES,
  overlapText,
  stateJson,
  stateOf,
  withModelChange,
  type SpacesInUse,
  type UsedSpace,
} from './model-change.ts';
import { progressBar } from './terminal/progress-bar.ts';
import { whileWaiting } from './terminal/waiting.ts';

export const reindexStatus: Command = {
  name: 'status',
  summary: 'Show which embedding model is in use, and how far a change has come.',
  flags: MODEL_FLAGS,
  variables: MODEL_VARIABLES,
  examples: [{ line: 'lamina reindex status', does: 'The models, and how many memories lack a vector.' }],
  run: (given) =>
    withModelChange(given, async ({ needs, configured }) => {
      const { modelChangeStatus } = await import('../core/spaces/model-change.ts');
      const { state, missing } = await modelChangeStatus(needs);
      const own = state === undefined ? await configured.space() : state.active.space;
      return answer(given, { ...stateJson(state), missing, model: own.model, dimensions: own.dimensions }, () =>
        statusText(state, own, missing),
      );
    }),
};

function statusText(state: SpacesInUse | undefined, space: UsedSpace['space'], missing: number): string {
  const active = `In use: ${modelText({ space })}.`;
  if (state?.other === undefined) return `${active} It is not being changed.`;
  const other = modelText(state.other);
  const next = {
    filling: missing === 0 ? 'lamina reindex cut-over' : fillCommand(state.other),
    cut_over: 'lamina reindex finish, or: lamina reindex roll-back',
    dropping: 'lamina reindex finish',
    settled: '',
  };
  const withoutVector = counted(missing, 'memory has no vector of it', 'memories have no vector of it');
  const how = {
    filling: `Being filled: ${other}; ${withoutVector} yet.`,
    cut_over: `Kept: the former ${other}; ${withoutVector}.`,
    dropping: `Being removed: ${other}.`,
    settled: '',
  };
  return [active, how[state.phase], `Next: ${next[state.phase]}`].join('\n');
}

export const reindexCutOver: Command = {
  name: 'cut-over',
  summary: 'Have searches use the new embedding model.',
  flags: MODEL_FLAGS,
  variables: MODEL_VARIABLES,
  examples: [{ line: 'lamina reindex cut-over', does: 'Refused while memories lack a vector of the new model.' }],
  notes: [
    'Says how many of the first ten results are the same under both models: of the searches that were recorded, else of',
    'the first sentences of memories. Writes go to both until lamina reindex finish.',
  ].join('\n'),
  run: (given) =>
    withModelChange(given, async (change) => {
      const { cutOver } = await import('../core/spaces/model-change.ts');
      const { other } = await stateOf(change);
      const over = await cutOver(change.needs, change.embedderFor(other.settings), stepOf(given));
      const overlap = await change.overlap(over.other ?? other, over.active);
      return answer(given, { ...stateJson(over), ...overlap }, () =>
        [
          `Searches use ${modelText(over.active)} now.`,
          overlapText(overlap),
          'Next: configure that model, then lamina reindex finish. Or: lamina reindex roll-back',
        ].join('\n'),
      );
    }),
};

export const reindexRollBack: Command = {
  name: 'roll-back',
  summary: 'Have searches use the former embedding model again.',
  flags: MODEL_FLAGS,
  variables: MODEL_VARIABLES,
  examples: [{ line: 'lamina reindex roll-back', does: 'At once; the new model can be cut over to again.' }],
  run: (given) =>
    withModelChange(given, async (change) => {
      const { rollBack } = await import('../core/spaces/model-change.ts');
      const { other } = await stateOf(change);
      const back = await rollBack(change.needs, change.embedderFor(other.settings), stepOf(given));
      return answer(
        given,
        stateJson(back),
        () => `Searches use ${modelText(back.active)} again.\nNext: lamina reindex cut-over, or: lamina reindex cancel`,
      );
    }),
};

export const reindexFinish: Command = {
  name: 'finish',
  summary: 'Remove the vectors of the former embedding model.',
  flags: MODEL_FLAGS,
  variables: MODEL_VARIABLES,
  examples: [{ line: 'lamina reindex finish', does: 'After that there is no way back but to fill it anew.' }],
  run: (given) => leave(given, 'cut_over'),
};

export const reindexCancel: Command = {
  name: 'cancel',
  summary: 'Give up the new embedding model, and remove its vectors.',
  flags: MODEL_FLAGS,
  variables: MODEL_VARIABLES,
  examples: [{ line: 'lamina reindex cancel', does: 'Before a cut-over, or after a roll-back.' }],
  run: (given) => leave(given, 'filling'),
};

async function leave(given: Given, phase: 'cut_over' | 'filling'): Promise<number> {
  return withModelChange(given, async (change) => {
    const { leaveModel } = await import('../core/spaces/model-change.ts');
    const { active, other } = await stateOf(change);
    const leaving = leaveModel(change.needs, phase, { signal: given.signal });
    const dropped = await whileWaiting(given, `Removing vectors of ${other.space.model}`, leaving);
    return answer(
      given,
      { ...stateJson(await change.needs.spaces.read()), dropped },
      () => `Removed ${dropped} vectors of ${modelText(other)}. In use: ${modelText(active)}.`,
    );
  });
}

function stepOf(given: Given): { signal: AbortSignal; progress: (progress: { done: number; total: number }) => void } {
  const bar = progressBar(given);
  return {
    signal: given.signal,
    progress: ({ done, total }) => {
      bar.show({ done, total, label: 'the last ones' });
      if (done >= total) bar.clear();
    },
  };
}
