/** A text field whose text goes to the address a moment after the last key. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { queryOf, setQuery } from './location.ts';

const PAUSE_MS = 120;

/** The text as typed, and how to set it. Follows the address when that changes by itself, as with "back". */
export function useTypedQuery(name: string): readonly [string, (text: string) => void] {
  const inAddress = queryOf(name);
  const [text, setText] = useState(inAddress);
  const written = useRef(inAddress);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setText(inAddress);
  }, [inAddress]);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const type = (next: string): void => {
    setText(next);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      written.current = next;
      setQuery({ [name]: next }, { replace: true });
    }, PAUSE_MS);
  };
  return [text, type];
}
