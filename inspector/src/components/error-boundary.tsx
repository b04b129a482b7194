/** Keeps a mistake of one page from taking the others with it. */

import { Component, type ComponentChildren } from 'preact';
import { ErrorPanel } from './error-panel.tsx';

interface Props {
  readonly children: ComponentChildren;
}

interface State {
  readonly thrown?: unknown;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = {};

  static override getDerivedStateFromError(thrown: unknown): State {
    return { thrown };
  }

  override render({ children }: Props, { thrown }: State): ComponentChildren {
    if (thrown === undefined) return children;
    return <ErrorPanel error={thrown} onRetry={() => this.setState({ thrown: undefined })} />;
  }
}
