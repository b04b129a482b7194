/** Log lines on their way out: those of one turn of the event loop together, since each write costs as much as a request. */

export interface LineStream {
  write(text: string): unknown;
}

/** What the process still holds is written when it exits; only a process that is killed loses lines, of its last turn. */
export function logLines(stream: LineStream): { write(line: string): void } {
  let held = '';
  const flush = (): void => {
    if (held === '') return;
    const text = held;
    held = '';
    stream.write(text);
  };
  process.once('exit', flush);
  return {
    write: (line) => {
      if (held === '') setImmediate(flush);
      held += line;
    },
  };
}
