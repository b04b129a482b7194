/** Data for a component: loads, loads again when what it depends on changes, drops what came too late. */

import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { asLaminaError, type LaminaError } from '../../../src/domain/error.ts';
import { ask, isAborted, type Memory } from './ask.ts';
import { lastChange } from './changes.ts';
import { principalKey } from './session.ts';

export interface Answer<T> {
  /** Stays while the next one is loaded, so that nothing jumps. Undefined before the first. */
  readonly data: T | undefined;
  readonly error: LaminaError | undefined;
  readonly isLoading: boolean;
  /** Loads again: after a change, or to try again. */
  readonly reload: () => void;
}

interface State<T> {
  readonly data: T | undefined;
  readonly error: LaminaError | undefined;
  readonly isLoading: boolean;
}

/**
 * `key` says what is asked: the same key is the same question. Undefined asks nothing. Another principal asks everything
 * anew, and so does a change that was made from here.
 */
export function useAnswer<T>(
  key: string | undefined,
  question: (memory: Memory, signal: AbortSignal) => Promise<T>,
): Answer<T> {
  const [state, setState] = useState<State<T>>({ data: undefined, error: undefined, isLoading: key !== undefined });
  const [turn, setTurn] = useState(0);
  const latest = useRef(question);
  latest.current = question;
  const who = useRef(principalKey.peek());

  useSignalEffect(() => {
    if (principalKey.value === who.current) return;
    who.current = principalKey.value;
    setState({ data: undefined, error: undefined, isLoading: true });
    setTurn((before) => before + 1);
  });

  const change = lastChange.value.number;
  useEffect(() => {
    if (key === undefined) {
      setState({ data: undefined, error: undefined, isLoading: false });
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    setState((before) => ({ ...before, isLoading: true }));
    const load = async (): Promise<void> => {
      try {
        const data = await ask((memory) => latest.current(memory, signal), signal);
        if (!signal.aborted) setState({ data, error: undefined, isLoading: false });
      } catch (thrown) {
        if (isAborted(thrown) || signal.aborted) return;
        setState((before) => ({ ...before, error: asLaminaError(thrown), isLoading: false }));
      }
    };
    void load();
    return () => controller.abort();
  }, [key, turn, change]);

  return { ...state, reload: () => setTurn((before) => before + 1) };
}
