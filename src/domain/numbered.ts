/** Doing something for one of many, whose error says for which. Pure. */

import { LaminaError } from './error.ts';

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** `list` is what the many are called where they were given. */
export function numbered<T>(list: string, index: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LaminaError)) throw error;
    throw placed(`${list}.${index}`, index, error);
  }
}

/** Fields are named from the top, as where the input itself is looked at. */
function placed(place: string, index: number, error: LaminaError): LaminaError {
  const { code, details, message } = error;
  const [problem] = (details?.['problems'] ?? []) as readonly Problem[];
  const named = problem && `${problem.path}: ${problem.message}`;
  const isNamed = named !== undefined && message.includes(named);
  const told = isNamed ? message.replace(named, () => `${place}.${named}`) : `${place}: ${message}`;
  const problems = problem && { problems: [{ ...problem, path: `${place}.${problem.path}` }] };
  return new LaminaError(code, told, { details: { ...details, ...problems, index }, cause: error });
}
