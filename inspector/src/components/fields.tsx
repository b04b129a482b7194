/** Fields of forms, each with its label. */

import type { VNode } from 'preact';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

interface TextFieldProps extends FieldProps {
  readonly placeholder?: string;
  readonly type?: 'text' | 'number' | 'datetime-local';
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | 'any';
  /** Ids to choose from. */
  readonly suggestions?: readonly string[];
}

export function TextField({ label, value, onInput, suggestions, type = 'text', ...rest }: TextFieldProps): VNode {
  const list = suggestions === undefined || suggestions.length === 0 ? undefined : `list-${label.replaceAll(' ', '-')}`;
  return (
    <label class={type === 'datetime-local' ? 'field field-time' : 'field'}>
      <span class="field-label">{label}</span>
      <input
        type={type}
        value={value}
        autocomplete="off"
        spellcheck={false}
        {...(list !== undefined && { list })}
        {...rest}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {list !== undefined && (
        <datalist id={list}>
          {suggestions?.map((one) => (
            <option value={one} key={one} />
          ))}
        </datalist>
      )}
    </label>
  );
}

export function TextArea({ label, value, onInput, rows = 4 }: FieldProps & { readonly rows?: number }): VNode {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <textarea rows={rows} value={value} onInput={({ currentTarget }) => onInput(currentTarget.value)} />
    </label>
  );
}

interface SelectProps extends FieldProps {
  /** Values, or values with what is shown for them. */
  readonly options: readonly (string | readonly [value: string, text: string])[];
}

export function Select({ label, value, onInput, options }: SelectProps): VNode {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <select value={value} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
        {options.map((option) => {
          const [optionValue, text] = typeof option === 'string' ? [option, option] : option;
          return (
            <option value={optionValue} key={optionValue} selected={optionValue === value}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}

interface ChipsProps<T extends string> {
  readonly label: string;
  readonly options: readonly T[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: T[]) => void;
  /** A class per option, for its colour. */
  readonly classOf?: (option: T) => string;
}

/** Any number of a few. */
export function Chips<T extends string>({ label, options, chosen, onChange, classOf }: ChipsProps<T>): VNode {
  return (
    <fieldset class="chips">
      <legend class="field-label">{label}</legend>
      <div class="chips-row">
        {options.map((option) => (
          <label class={`chip ${classOf?.(option) ?? ''}`} key={option}>
            <input
              type="checkbox"
              checked={chosen.includes(option)}
              onChange={({ currentTarget }) =>
                onChange(options.filter((one) => (one === option ? currentTarget.checked : chosen.includes(one))))
              }
            />
            {option}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: readonly T[];
  readonly chosen: T;
  readonly onChange: (chosen: T) => void;
}

/** One of a few. */
export function Choice<T extends string>({ label, options, chosen, onChange }: ChoiceProps<T>): VNode {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option}>
          <input type="radio" name={label} checked={option === chosen} onChange={() => onChange(option)} />
          <span>{option}</span>
        </label>
      ))}
    </fieldset>
  );
}
