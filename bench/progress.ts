/** One line on a terminal that says what is being measured; nothing where nobody watches. */

export interface Progress {
  say(what: string): void;
  clear(): void;
}

const CLEAR_LINE = '\r\u001b[K';

export function progressOn(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return { say: () => {}, clear: () => {} };
  return {
    say: (what) => void stream.write(`${CLEAR_LINE}${what} …`),
    clear: () => void stream.write(CLEAR_LINE),
  };
}
