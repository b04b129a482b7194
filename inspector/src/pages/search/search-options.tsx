/** The settings of a search. */

import type { VNode } from 'preact';
import { KINDS, SENSITIVITIES, TRUSTS } from '../../../../src/domain/kind.ts';
import { MODES, RANKS } from '../../../../src/domain/recall.ts';
import { LAYERS } from '../../../../src/domain/scope.ts';
import { queryListOf } from '../../app/location.ts';
import { Chips, Select, TextField } from '../../components/fields.tsx';
import { SERVICE_DEFAULTS, setSetting, settingOf, type Side } from './search-settings.ts';

interface SearchOptionsProps {
  readonly side: Side;
  /** Only what one compares most. */
  readonly isShort?: boolean;
}

export function SearchOptions({ side, isShort = false }: SearchOptionsProps): VNode {
  const threshold = settingOf(side, 'threshold') || SERVICE_DEFAULTS.threshold;
  return (
    <div class="search-options">
      <Select
        label="Mode"
        options={MODES}
        value={settingOf(side, 'mode') || SERVICE_DEFAULTS.mode}
        onInput={(value) => setSetting(side, 'mode', value)}
      />
      <Select
        label="Rank"
        options={RANKS}
        value={settingOf(side, 'rank') || SERVICE_DEFAULTS.rank}
        onInput={(value) => setSetting(side, 'rank', value)}
      />
      <label class="field">
        <span class="field-label">
          Threshold <output class="numeric">{Number(threshold).toFixed(2)}</output>
        </span>
        <input
          type="range"
          min="0"
          max="1"
          step="0.05"
          value={threshold}
          onInput={({ currentTarget }) => setSetting(side, 'threshold', currentTarget.value)}
        />
      </label>
      <TextField
        label="As of"
        type="datetime-local"
        value={settingOf(side, 'as_of')}
        onInput={(value) => setSetting(side, 'as_of', value)}
      />
      {!isShort && <MoreOptions side={side} />}
    </div>
  );
}

function MoreOptions({ side }: { readonly side: Side }): VNode {
  return (
    <>
      <TextField
        label="Limit"
        type="number"
        min={1}
        max={100}
        value={settingOf(side, 'limit') || SERVICE_DEFAULTS.limit}
        onInput={(value) => setSetting(side, 'limit', value)}
      />
      <Select
        label="Most sensitive"
        options={[['', 'any'], ...SENSITIVITIES]}
        value={settingOf(side, 'sensitivity')}
        onInput={(value) => setSetting(side, 'sensitivity', value)}
      />
      <Select
        label="Least trusted"
        options={[['', 'any'], ...TRUSTS]}
        value={settingOf(side, 'trust')}
        onInput={(value) => setSetting(side, 'trust', value)}
      />
      <Chips
        label="Layers"
        options={LAYERS}
        chosen={queryListOf(`${side}layers`)}
        classOf={(layer) => `layer-${layer}`}
        onChange={(chosen) => setSetting(side, 'layers', chosen.join(','))}
      />
      <Chips
        label="Kinds"
        options={KINDS}
        chosen={queryListOf(`${side}kinds`)}
        classOf={(kind) => `kind-${kind}`}
        onChange={(chosen) => setSetting(side, 'kinds', chosen.join(','))}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={settingOf(side, 'archived') === '1'}
          onChange={({ currentTarget }) => setSetting(side, 'archived', currentTarget.checked ? '1' : '')}
        />
        With what is archived
      </label>
    </>
  );
}
