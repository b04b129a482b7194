/** Processing one item of a list, with errors that name the item. Pure. */

import { LaminaError } from './error.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** `list` is the name of the input field that holds the items. */
export function numbered<T>(list: string, index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LaminaError)) throw error;
    throw placed(`${list}.${index}`, index, error);
  }
}

/** Paths start at the top of the input, as in validation. */
function placed(place: string, index: number, error: LaminaError): LaminaError {
  const { code, details, message } = error;
  const [problem] = (details?.['problems'] ?? []) as readonly Problem[];
  const named = problem && `${problem.path}: ${problem.message}`;
  const isNamed = named !== undefined && message.includes(named);
  const told = isNamed ? message.replace(named, () => `${place}.${named}`) : `${place}: ${message}`;
  const problems = problem && { problems: [{ ...problem, path: `${place}.${problem.path}` }] };
  return new LaminaError(code, told, { details: { ...details, ...problems, index }, cause: error });
}
