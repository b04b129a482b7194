/** Why something scored as it did: what each signal added to or took from its score, as a bar and in numbers. */

import type { VNode } from 'preact';
import type { Signals } from '../../../src/domain/recall.ts';

/** In the order of the bar. What is not named here is told by a conversation; numbers tell those apart. */
const COLOURS = [
  'text',
  'vector',
  'rerank',
  'conversation',
  'recency',
  'importance',
  'confidence',
  'relevance',
  'best',
  'bias',
];

function colourOf(name: string): string {
  return COLOURS.includes(name) ? name : 'conversation';
}

const EXPLAINED: Readonly<Record<string, string>> = {
  text: 'words in common',
  vector: 'nearness in meaning',
  rerank: 'what the reranker says',
  conversation: 'who, when and where in a conversation',
  recency: 'how new it is',
  importance: 'as it was given',
  confidence: 'as it was given',
  relevance: 'what decay has left',
  bias: 'where every score of a search starts',
};

interface Contribution {
  readonly name: string;
  readonly value: number;
}

/** Less than this is told as 0.00, and cannot be seen. */
const LEAST = 0.005;

/** What the signals added (above 0) and took (below), without those that did nothing. */
function contributions({ evidence = {} }: Signals): Contribution[] {
  return Object.entries(evidence)
    .map(([name, value = 0]) => ({ name, value }))
    .filter(({ value }) => Math.abs(value) >= LEAST)
    .toSorted((a, b) => COLOURS.indexOf(colourOf(a.name)) - COLOURS.indexOf(colourOf(b.name)));
}

/** The signal itself, before its weight: 0 to 1. */
function strengthOf(signals: Signals, name: string): string | undefined {
  const value: unknown = (signals as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' ? value.toFixed(2) : undefined;
}

export interface Reach {
  readonly below: number;
  readonly above: number;
}

/** How far the bars of several reach to both sides, so that they can be compared. */
export function reachOf(all: readonly Signals[]): Reach {
  const sums = all.map((signals) => {
    const parts = contributions(signals);
    return {
      below: parts.reduce((sum, { value }) => sum + Math.max(0, -value), 0),
      above: parts.reduce((sum, { value }) => sum + Math.max(0, value), 0),
    };
  });
  return {
    below: Math.max(0, ...sums.map(({ below }) => below)),
    above: Math.max(0.01, ...sums.map(({ above }) => above)),
  };
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`;
}

interface SignalBarProps {
  readonly signals: Signals;
  readonly reach: Reach;
}

/** To the left of the line what speaks against it, to the right what speaks for it. */
export function SignalBar({ signals, reach }: SignalBarProps): VNode {
  const parts = contributions(signals);
  const width = reach.below + reach.above;
  const against = parts.filter(({ value }) => value < 0).toReversed();
  const inFavour = parts.filter(({ value }) => value > 0);
  const percent = (value: number): string => `${(Math.abs(value) / width) * 100}%`;
  const label = parts.map(({ name, value }) => `${name} ${signed(value)}`).join(', ');
  return (
    <div class="signal-bar" role="img" aria-label={`Signals: ${label}`}>
      <div class="signal-against" style={{ width: percent(reach.below) }}>
        {against.map(({ name, value }) => (
          <i
            key={name}
            class={`signal-${colourOf(name)}`}
            title={`${name} ${signed(value)}`}
            style={{ width: `${(Math.abs(value) / Math.max(reach.below, 0.01)) * 100}%` }}
          />
        ))}
      </div>
      <div class="signal-for" style={{ width: percent(reach.above) }}>
        {inFavour.map(({ name, value }) => (
          <i
            key={name}
            class={`signal-${colourOf(name)}`}
            title={`${name} ${signed(value)}`}
            style={{ width: `${(value / reach.above) * 100}%` }}
          />
        ))}
      </div>
    </div>
  );
}

/** The contributions in numbers, strongest first. */
export function SignalNumbers({ signals }: { readonly signals: Signals }): VNode {
  const parts = contributions(signals).toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return (
    <ul class="signal-numbers">
      {parts.map(({ name, value }) => (
        <li key={name}>
          <i class={`signal-dot signal-${colourOf(name)}`} />
          {name} <b class="numeric">{signed(value)}</b>
          {strengthOf(signals, name) !== undefined && <span class="numeric"> of {strengthOf(signals, name)}</span>}
        </li>
      ))}
    </ul>
  );
}

export function SignalLegend({ all }: { readonly all: readonly Signals[] }): VNode {
  const present = new Set(all.flatMap((signals) => contributions(signals).map(({ name }) => colourOf(name))));
  return (
    <ul class="signal-legend" aria-label="Signals">
      {Object.entries(EXPLAINED)
        .filter(([colour]) => present.has(colour))
        .map(([colour, text]) => (
          <li key={colour} title={text}>
            <i class={`signal-dot signal-${colour}`} />
            {colour}
          </li>
        ))}
    </ul>
  );
}
