/** What a check of `lamina doctor` is, and what it finds. */

/** `problem`: something does not work, or is not safe. `warning`: it works, but not as well as it should. */
export type FindingState = 'ok' | 'warning' | 'problem';

/** Puts right what was found. Only for what can do no harm. */
export interface Repair {
  /** A question without its question mark: "Close the folder to others". */
  readonly does: string;
  /** Resolves with a sentence about what was done. */
  run(): Promise<string>;
}

export interface Finding {
  readonly state: FindingState;
  /** A sentence. Holds no secrets. */
  readonly message: string;
  /** A command to paste, or a setting to change. There is one wherever something is amiss. */
  readonly fix?: string;
  readonly repair?: Repair;
}

export const GROUPS = ['Machine', 'Configuration', 'Data', 'Database', 'Models', 'Services'] as const;

export type Group = (typeof GROUPS)[number];

export interface Check<World> {
  readonly name: string;
  readonly group: Group;
  /** A sentence without its full stop, for the documentation. */
  readonly looksAt: string;
  /** Left out where nothing of what it looks at is there. Default: never. */
  isFor?(world: World): boolean | Promise<boolean>;
  run(world: World): Promise<readonly Finding[]>;
}

export function ok(message: string): Finding {
  return { state: 'ok', message };
}

export function warning(message: string, fix: string, repair?: Repair): Finding {
  return { state: 'warning', message, fix, ...(repair && { repair }) };
}

export function problem(message: string, fix: string, repair?: Repair): Finding {
  return { state: 'problem', message, fix, ...(repair && { repair }) };
}
