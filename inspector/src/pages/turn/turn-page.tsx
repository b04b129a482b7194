/** Turn preview: type what a user says, see what an agent would be given, what it costs, and why. */

import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TurnContextOutput } from '../../../../src/domain/turn.ts';
import { givenScope } from '../../api/scope.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { useTypedQuery } from '../../app/debounced.ts';
import { useKeys } from '../../app/keyboard.ts';
import { hrefWith, queryOf } from '../../app/location.ts';
import { moveFocus } from '../../app/move-focus.ts';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorPanel } from '../../components/error-panel.tsx';
import { GivenOptions } from '../../components/given-options.tsx';
import { Icon } from '../../components/icon.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { SplitPage } from '../../components/split-page.tsx';
import { TurnBlock } from './turn-block.tsx';
import { TurnBudget } from './turn-budget.tsx';
import { TurnOptions } from './turn-options.tsx';
import { TurnReceiptPanel } from './turn-receipt.tsx';
import { changedTurnSettings, turnInputOf } from './turn-settings.ts';

const LINES = 'a.turn-item, a.receipt-label';

export function Page(): VNode {
  useKeys('Turn', [
    { keys: ['j', 'ArrowDown'], help: 'Next line of memory', run: () => moveFocus(LINES, 1) },
    { keys: ['k', 'ArrowUp'], help: 'Previous line of memory', run: () => moveFocus(LINES, -1) },
  ]);
  return (
    <SplitPage>
      <div class="page turn-page">
        <h1 class="visually-hidden">Turn preview</h1>
        <Question />
        <Preview />
      </div>
    </SplitPage>
  );
}

function Question(): VNode {
  const [text, type] = useTypedQuery('q');
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const changed = [...Object.keys(givenScope()), ...changedTurnSettings()];
  useEffect(() => {
    if (queryOf('entry') === '') field.current?.focus();
  }, []);
  return (
    <div class="search-bar">
      <div class="turn-question">
        <label class="field">
          <span class="field-label">What the user says</span>
          <textarea
            ref={field}
            data-search
            rows={2}
            value={text}
            placeholder="Type a message, and see what an agent would be given with it"
            onInput={({ currentTarget }) => type(currentTarget.value)}
            onKeyDown={({ key, currentTarget }) => {
              if (key === 'Escape') currentTarget.blur();
            }}
          />
        </label>
        <button
          type="button"
          class="button"
          aria-expanded={isOpen}
          {...(isOpen && { 'aria-controls': 'turn-options' })}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="filter" /> Options
        </button>
      </div>
      {!isOpen && <GivenOptions names={changed} />}
      {isOpen && <TurnOptions />}
    </div>
  );
}

function Preview(): VNode {
  const message = queryOf('q');
  const input = message.trim() === '' ? undefined : turnInputOf(message);
  const { data, error, isLoading, reload } = useAnswer(
    input === undefined ? undefined : `turn ${JSON.stringify(input)}`,
    (memory) => memory.turnContext(input ?? { message }),
  );
  if (input === undefined) return <Start />;
  if (error !== undefined) return <ErrorPanel error={error} onRetry={reload} />;
  if (data === undefined) return <Skeleton rows={4} kind="card" />;
  return (
    <div class="search-answer" aria-busy={isLoading}>
      <p class="visually-hidden" aria-live="polite">
        {data.receipt.counts.taken} taken, {data.tokens} tokens.
      </p>
      {data.degraded && <Degraded turn={data} />}
      {!data.degraded &&
        data.warnings?.map((warning) => (
          <p class="warning" key={warning}>
            {warning}
          </p>
        ))}
      <TurnBudget receipt={data.receipt} />
      <div class="turn-columns">
        <TurnBlock turn={data} />
        <TurnReceiptPanel turn={data} />
      </div>
    </div>
  );
}

function Degraded({ turn }: { readonly turn: TurnContextOutput }): VNode {
  return (
    <p class="warning" role="alert">
      Some of memory could not be asked, so the agent would go on without it. {turn.warnings?.join(' ')}
    </p>
  );
}

const EXAMPLES = [
  'What should I order for Ada to drink?',
  'Help me plan the next release',
  'Summarise the week for Ada',
];

function Start(): VNode {
  return (
    <EmptyState
      title="What would an agent know at this turn?"
      command={curlCommand('/v1/memory/turn-context', { message: EXAMPLES[0] })}
    >
      <p>
        Type what a user says. You see the exact block that goes into the prompt, how many tokens each part takes, and
        the receipt: what was left out and why. Looking counts as no access.
      </p>
      <ul class="turn-examples" aria-label="Examples">
        {EXAMPLES.map((text) => (
          <li key={text}>
            <a class="button button-small" href={hrefWith({ q: text })}>
              {text}
            </a>
          </li>
        ))}
      </ul>
      <p>An agent asks for the same over HTTP:</p>
    </EmptyState>
  );
}
