/** The token budget of a turn as a bar: what each part took, and what is left. */

import type { VNode } from 'preact';
import type { TurnReceipt } from '../../../../src/domain/turn.ts';
import { budgetParts, type BudgetPart } from './block-lines.ts';

export const PART_NAMES: Readonly<Record<BudgetPart['name'], string>> = {
  memory: 'memories',
  facts: 'facts',
  procedures: 'procedures',
  working: 'working memory',
  conversation: 'conversation',
  frame: 'headings',
};

export function TurnBudget({ receipt }: { readonly receipt: TurnReceipt }): VNode {
  const { tokenBudget, tokensUsed } = receipt;
  const parts = budgetParts(receipt);
  const free = Math.max(0, tokenBudget - tokensUsed);
  const told = parts.map(({ name, tokens }) => `${PART_NAMES[name]} ${tokens}`).join(', ');
  return (
    <section class="turn-budget" aria-label="Token budget">
      <p>
        <b class="numeric">{tokensUsed.toLocaleString()}</b> of{' '}
        <span class="numeric">{tokenBudget.toLocaleString()}</span> tokens
        <span class="quiet"> · estimated, erring on the high side; the message itself is not counted</span>
      </p>
      <div
        class="budget-bar"
        role="img"
        aria-label={`${tokensUsed} of ${tokenBudget} tokens used: ${told === '' ? 'nothing' : told}; ${free} left`}
      >
        {parts.map(({ name, tokens }) => (
          <i
            key={name}
            class={`section-${name}`}
            title={`${PART_NAMES[name]}: ${tokens} tokens`}
            style={{ width: `${(tokens / Math.max(tokenBudget, tokensUsed, 1)) * 100}%` }}
          />
        ))}
      </div>
      <ul class="budget-legend">
        {parts.map(({ name, tokens, count }) => (
          <li key={name}>
            <i class={`section-dot section-${name}`} />
            {PART_NAMES[name]} <b class="numeric">{tokens}</b>
            {name !== 'frame' && <span class="numeric"> in {count}</span>}
          </li>
        ))}
        <li>
          <i class="section-dot section-free" />
          left <b class="numeric">{free.toLocaleString()}</b>
        </li>
      </ul>
    </section>
  );
}
