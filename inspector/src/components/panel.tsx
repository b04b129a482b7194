/** A part of a page under a heading. */

import type { ComponentChildren, VNode } from 'preact';
import type { Answer } from '../api/use-answer.ts';
import { ErrorPanel } from './error-panel.tsx';
import { Skeleton } from './skeleton.tsx';

interface PanelProps {
  readonly title: string;
  /** Buttons and figures on the line of the heading. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Panel({ title, aside, children }: PanelProps): VNode {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}

interface AnswerPanelProps<T> {
  readonly title: string;
  readonly answer: Answer<T>;
  /** Lines of the skeleton: about as high as what will come. */
  readonly rows?: number;
  readonly aside?: (data: T) => ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}

/** The same for what is loaded: a skeleton first, then the data, or what went wrong with a way to try again. */
export function AnswerPanel<T>({ title, answer, rows = 3, aside, children }: AnswerPanelProps<T>): VNode {
  const { data, error, reload } = answer;
  return (
    <Panel title={title} aside={data !== undefined && error === undefined && aside?.(data)}>
      {error !== undefined ? (
        <ErrorPanel error={error} onRetry={reload} />
      ) : data === undefined ? (
        <Skeleton rows={rows} />
      ) : (
        children(data)
      )}
    </Panel>
  );
}
