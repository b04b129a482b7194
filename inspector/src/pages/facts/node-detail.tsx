/** One thing: what is said of it and by it, at that time and at other times. */

import type { VNode } from 'preact';
import { Icon } from '../../components/icon.tsx';
import { LayerBadge } from '../../components/badges.tsx';
import { dayOf, exactTime } from '../../components/time.tsx';
import { holdsAt, type TimedFact } from './fact-graph.ts';
import { closeNode, endWalk, nodeHref, openNode, startWalkHref, walkInAddress } from './fact-walk.ts';

interface NodeDetailProps {
  readonly name: string;
  /** All that name it. */
  readonly facts: readonly TimedFact[];
  readonly at: number;
  readonly isLoading: boolean;
}

export function NodeDetail({ name, facts, at, isLoading }: NodeDetailProps): VNode {
  const holding = facts.filter((fact) => holdsAt(fact, at));
  const others = facts.filter((fact) => !holdsAt(fact, at)).toSorted((one, other) => other.from - one.from);
  const isClosed = walkInAddress()?.includes(name) === false && facts.length > 0;
  return (
    <section class="node-detail" aria-label={name}>
      <a class="quiet" href={nodeHref(undefined)}>
        ‹ All
      </a>
      <h2>{name}</h2>
      <WalkButtons name={name} />
      {facts.length === 0 && !isLoading && <p class="quiet">No fact that you may see names it.</p>}
      <FactRows title="As subject" facts={holding.filter(({ subject }) => subject === name)} name={name} at={at} />
      <FactRows title="As object" facts={holding.filter(({ subject }) => subject !== name)} name={name} at={at} />
      {isClosed && <p class="quiet">What else names it comes when you expand it (e).</p>}
      {others.length > 0 && <FactRows title="At other times" facts={others} name={name} at={at} />}
    </section>
  );
}

function WalkButtons({ name }: { readonly name: string }): VNode {
  const walk = walkInAddress();
  return (
    <div class="node-actions">
      {walk === undefined ? (
        <a class="button button-small" href={startWalkHref(name)}>
          Walk from here <kbd aria-hidden="true">e</kbd>
        </a>
      ) : (
        <>
          {!walk.includes(name) && (
            <button type="button" class="button button-small button-primary" onClick={() => openNode(name)}>
              <Icon name="plus" /> Expand
            </button>
          )}
          {walk.slice(1).includes(name) && (
            <button type="button" class="button button-small" onClick={() => closeNode(name)}>
              <Icon name="minus" /> Collapse
            </button>
          )}
          {walk[0] !== name && (
            <a class="button button-small" href={startWalkHref(name)}>
              Start over here
            </a>
          )}
          <button type="button" class="button button-small" onClick={endWalk}>
            Show everything
          </button>
        </>
      )}
    </div>
  );
}

interface FactRowsProps {
  readonly title: string;
  readonly facts: readonly TimedFact[];
  readonly name: string;
  readonly at: number;
}

function FactRows({ title, facts, name, at }: FactRowsProps): VNode | null {
  if (facts.length === 0) return null;
  return (
    <>
      <h3>
        {title} <span class="quiet numeric">{facts.length}</span>
      </h3>
      <ul class="fact-rows">
        {facts.map((fact) => (
          <FactRow key={fact.factId} fact={fact} name={name} at={at} />
        ))}
      </ul>
    </>
  );
}

function FactRow({ fact, name, at }: { readonly fact: TimedFact; readonly name: string; readonly at: number }): VNode {
  const other = fact.subject === name ? fact.object : fact.subject;
  const link = (
    <a class="fact-link" href={nodeHref(other)}>
      {other}
    </a>
  );
  const predicate = <i class="predicate">{fact.predicate.replaceAll('_', ' ')}</i>;
  return (
    <li class="fact-row">
      <p>
        {fact.subject === name ? (
          <>
            {predicate} {link}
          </>
        ) : (
          <>
            {link} {predicate} <span class="quiet">{name}</span>
          </>
        )}
      </p>
      <p class="meta-row">
        <LayerBadge layer={fact.layer} />
        <span>{fact.factType}</span>
        {fact.confidence < 1 && (
          <span class="numeric" title="How certain it is">
            {Math.round(fact.confidence * 100)}% certain
          </span>
        )}
        <span title={spanTitle(fact)}>{spanText(fact, at)}</span>
        {fact.source !== undefined && <span>from {fact.source.type.replaceAll('_', ' ')}</span>}
      </p>
    </li>
  );
}

function spanText({ validFrom, validTo, from }: TimedFact, at: number): string {
  if (validTo !== null) return `${dayOf(validFrom)} – ${dayOf(validTo)}`;
  return from > at ? `from ${dayOf(validFrom)} on` : `since ${dayOf(validFrom)}`;
}

function spanTitle({ validFrom, validTo }: TimedFact): string {
  return `${exactTime(validFrom)} – ${validTo === null ? 'still' : exactTime(validTo)}`;
}
