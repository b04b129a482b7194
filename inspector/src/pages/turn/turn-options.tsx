/** The settings of a turn. */

import type { VNode } from 'preact';
import { SENSITIVITIES, TRUSTS } from '../../../../src/domain/kind.ts';
import { LAYERS } from '../../../../src/domain/scope.ts';
import { TURN_KINDS } from '../../../../src/domain/turn.ts';
import { useTypedQuery } from '../../app/debounced.ts';
import { queryListOf } from '../../app/location.ts';
import { Chips, Select, TextField } from '../../components/fields.tsx';
import { ScopeFields } from '../../components/scope-fields.tsx';
import { setTurnSetting, turnSetting, type TurnSetting } from './turn-settings.ts';

export function TurnOptions(): VNode {
  return (
    <div class="panel panel-body search-settings" id="turn-options">
      <ScopeFields />
      <div class="search-options">
        <NumberSetting label="Token budget" name="budget" max={1_000_000} step={50} />
        <NumberSetting label="Limit" name="limit" max={100} />
        <NumberSetting label="Recent turns" name="recent" max={100} />
        <Threshold />
        <Select
          label="Most sensitive"
          options={[['', 'as configured'], ...SENSITIVITIES]}
          value={turnSetting('sensitivity')}
          onInput={(value) => setTurnSetting('sensitivity', value)}
        />
        <Select
          label="Least trusted"
          options={[['', 'as configured'], ...TRUSTS]}
          value={turnSetting('trust')}
          onInput={(value) => setTurnSetting('trust', value)}
        />
        <TypedSetting label="Working memory of" name="plan" placeholder="plan id" />
        <TypedSetting label="Its keys" name="keys" placeholder="all" />
        <TypedSetting label="Seen by the model" name="seen" placeholder="text that need not be repeated" />
      </div>
      <div class="search-options">
        <Chips
          label="Kinds"
          options={TURN_KINDS}
          chosen={turnSetting('kinds').split(',')}
          classOf={(kind) => `kind-${kind}`}
          onChange={(chosen) => setTurnSetting('kinds', chosen.join(','))}
        />
        <Chips
          label="Layers"
          options={LAYERS}
          chosen={queryListOf('layers')}
          classOf={(layer) => `layer-${layer}`}
          onChange={(chosen) => setTurnSetting('layers', chosen.join(','))}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={turnSetting('procedures') === '1'}
            onChange={({ currentTarget }) => setTurnSetting('procedures', currentTarget.checked ? '1' : '0')}
          />
          With procedures that apply
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={turnSetting('facts') === '1'}
            onChange={({ currentTarget }) => setTurnSetting('facts', currentTarget.checked ? '1' : '0')}
          />
          With facts about what is named
        </label>
      </div>
    </div>
  );
}

interface SettingProps {
  readonly label: string;
  readonly name: TurnSetting;
}

function NumberSetting({
  label,
  name,
  max,
  step = 1,
}: SettingProps & { readonly max: number; readonly step?: number }): VNode {
  return (
    <TextField
      label={label}
      type="number"
      min={name === 'recent' ? 0 : 1}
      max={max}
      step={step === 1 ? 1 : 'any'}
      value={turnSetting(name)}
      onInput={(value) => setTurnSetting(name, value)}
    />
  );
}

function TypedSetting({ label, name, placeholder }: SettingProps & { readonly placeholder: string }): VNode {
  const [text, type] = useTypedQuery(name);
  return <TextField label={label} value={text} onInput={type} placeholder={placeholder} />;
}

/** One for all parts when it is moved; before that each part has its own. */
function Threshold(): VNode {
  const threshold = Number(turnSetting('threshold'));
  return (
    <label class="field">
      <span class="field-label">
        Threshold <output class="numeric">{threshold.toFixed(2)}</output>
      </span>
      <input
        type="range"
        min="0"
        max="1"
        step="0.05"
        value={threshold}
        onInput={({ currentTarget }) => setTurnSetting('threshold', currentTarget.value)}
      />
    </label>
  );
}
