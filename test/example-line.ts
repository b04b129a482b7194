/** A command line as the help shows it, taken apart as a shell would. */

export interface ExampleLine {
  readonly program: string;
  readonly args: readonly string[];
  /** The file from which the standard input comes. */
  readonly input?: string;
}

/** Words, quotes of both sorts, and `< FILE`; nothing else of a shell. */
export function readExample(line: string): ExampleLine {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
  const at = words.indexOf('<');
  const input = at === -1 ? undefined : words[at + 1];
  const [program = '', ...args] = at === -1 ? words : words.toSpliced(at, 2);
  return { program, args, ...(input !== undefined && { input }) };
}
