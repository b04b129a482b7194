/** What a program passes to `Lamina.open` to be used in place of ours: refused at once if a method is missing, and not when it is used. */

import { LaminaError } from '../domain/error.ts';
import type { LaminaOptions } from './lamina-options.ts';

/** The names of what can be called, and must be there. */
type MethodOf<Port> = {
  [Name in keyof Port]-?: undefined extends Port[Name]
    ? never
    : Port[Name] extends (...given: never) => unknown
      ? Name
      : never;
}[keyof Port];

type Methods<Port> = { readonly [Name in MethodOf<Port> & string]: true };

interface Ports {
  readonly clock: Methods<NonNullable<LaminaOptions['clock']>>;
  readonly ids: Methods<NonNullable<LaminaOptions['ids']>>;
  readonly embedder: Methods<NonNullable<LaminaOptions['embedder']>>;
  readonly languageModel: Methods<NonNullable<LaminaOptions['languageModel']>>;
  readonly reranker: Methods<NonNullable<LaminaOptions['reranker']>>;
  readonly masterKey: Methods<NonNullable<LaminaOptions['masterKey']>>;
  readonly telemetry: Methods<NonNullable<LaminaOptions['telemetry']>>;
  readonly tracing: Methods<NonNullable<LaminaOptions['tracing']>>;
  readonly engine: Methods<NonNullable<LaminaOptions['engine']>>;
}

/** The compiler sees to it that none is forgotten. */
const PORTS: Ports = {
  clock: { now: true, sleep: true },
  ids: { next: true },
  embedder: { space: true, calibration: true, embed: true, forget: true, close: true },
  languageModel: { complete: true, close: true },
  reranker: { rerank: true, close: true },
  masterKey: { idFor: true, wrap: true, unwrap: true },
  telemetry: { operationEnded: true },
  tracing: { span: true, call: true, outside: true, headers: true },
  engine: { size: true, check: true, close: true },
};

/** Throws `CONFIGURATION_ERROR`, and names what is missing. */
export function assertPorts(options: LaminaOptions): void {
  for (const name of Object.keys(PORTS) as (keyof Ports)[]) {
    const given: {} | null | undefined = options[name];
    if (given === undefined || given === null) continue;
    const needed = Object.keys(PORTS[name]);
    const missing = needed.filter((method) => !hasMethod(given, method));
    if (missing.length > 0) throw incomplete(name, missing, needed);
  }
}

function hasMethod(given: {}, method: string): boolean {
  return typeof given === 'object' && typeof (given as Record<string, unknown>)[method] === 'function';
}

function incomplete(name: string, missing: readonly string[], needed: readonly string[]): LaminaError {
  const lacking = missing.map((method) => `${method}()`).join(', ');
  const rest = needed.length > missing.length ? ` It needs ${needed.map((method) => `${method}()`).join(', ')}.` : '';
  return new LaminaError('CONFIGURATION_ERROR', `Lamina.open: the option "${name}" has no ${lacking}.${rest}`);
}
