/** Where there is no fact: how to write one down. */

import type { VNode } from 'preact';
import { curlCommand } from '../../components/curl-command.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { endWalk } from './fact-walk.ts';

const FIRST_COMMAND = {
  fact_type: 'deployment',
  subject: 'api',
  predicate: 'runs_on',
  object: 'postgres-17',
  cardinality: 'one',
};

export function NoFacts({ start }: { readonly start: string | undefined }): VNode {
  return (
    <EmptyState
      title={start === undefined ? 'No facts yet' : `Nothing is known about “${start}”`}
      command={curlCommand('/v1/memory/facts', FIRST_COMMAND)}
    >
      {start === undefined ? (
        <p>
          A fact says that a subject has an object under a predicate, and when. Open a project or a team with Options,
          look as somebody else (press w), or write a first one down:
        </p>
      ) : (
        <p>
          Names are compared exactly.{' '}
          <button type="button" class="link-button" onClick={endWalk}>
            Show everything
          </button>
          , or write a fact down:
        </p>
      )}
    </EmptyState>
  );
}
