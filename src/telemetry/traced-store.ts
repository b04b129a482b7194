/** A store whose calls are parts of the trace of whatever asks for them. */

import type { Engine } from '../ports/engine.ts';
import type { RecordStores } from '../ports/record-store.ts';
import type { SpanAttributes, Tracing } from '../ports/telemetry.ts';

/** They answer at once, and what they begin belongs to nobody in particular. */
const UNTRACED = /^(touch|watch|foresee)/;

/** They give something that is asked in their place. */
const HANDS_OUT = /^recollection$/;

/** No method of a store has more parameters. */
type Method = (a?: unknown, b?: unknown, c?: unknown, d?: unknown, e?: unknown, f?: unknown) => unknown;

/** All that the core is given of an engine. */
type Stores = Omit<Engine, 'name' | 'leadership' | 'keys' | 'resealing' | 'size' | 'load' | 'check' | 'close'>;

/** The stores of an engine, with spans such as `entries.candidates`. They name neither what is asked for nor by whom. */
export function tracedStores(engine: Engine, tracing: Tracing): Stores {
  const traced = <S extends object>(name: string, store: S): S =>
    tracedStore(name, systemOf(engine.name), store, tracing);
  const records = Object.entries(engine.records).map(([name, store]) => [
    name,
    traced(`records.${name}`, store as object),
  ]);
  return {
    entries: traced('entries', engine.entries),
    state: traced('state', engine.state),
    records: Object.fromEntries(records) as RecordStores,
    facts: traced('facts', engine.facts),
    audit: traced('audit', engine.audit),
    erasure: traced('erasure', engine.erasure),
    events: traced('events', engine.events),
    archive: traced('archive', engine.archive),
    upkeep: traced('upkeep', engine.upkeep),
    inspector: traced('inspector', engine.inspector),
    spaces: traced('spaces', engine.spaces),
  };
}

/** As OpenTelemetry spells it. */
function systemOf(engine: string): string {
  return engine === 'postgres' ? 'postgresql' : engine;
}

/** Only methods are taken over: what else a store has is for whoever opened it. */
export function tracedStore<S extends object>(name: string, system: string, store: S, tracing: Tracing): S {
  const traced: Record<string, Method> = {};
  for (const [key, method] of methodsOf(store)) {
    const spanName = `${name}.${key}`;
    if (UNTRACED.test(key)) traced[key] = method.bind(store);
    else if (HANDS_OUT.test(key))
      traced[key] = handingOut(name, system, () => method.call(store) as object | undefined, tracing);
    else {
      const attributes = { 'db.system.name': system, 'db.operation.name': spanName };
      traced[key] = tracedMethod(spanName, attributes, store, method, tracing);
    }
  }
  return traced as S;
}

function handingOut(name: string, system: string, give: () => object | undefined, tracing: Tracing): Method {
  return () => {
    const given = give();
    return given && tracing.isOn ? tracedStore(name, system, given, tracing) : given;
  };
}

/** With named parameters and not with `...rest`: while nobody listens nothing is to be allocated. */
function tracedMethod(
  name: string,
  attributes: SpanAttributes,
  store: object,
  method: Method,
  tracing: Tracing,
): Method {
  return (a, b, c, d, e, f) =>
    tracing.isOn
      ? tracing.call(name, attributes, () => method.call(store, a, b, c, d, e, f))
      : method.call(store, a, b, c, d, e, f);
}

/** Own ones and those of its classes; what they are is up to the store, which may itself stand before another. */
function methodsOf(store: object): Map<string, Method> {
  const methods = new Map<string, Method>();
  for (
    let at: object | null = store;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object
  ) {
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value !== 'function' || key === 'constructor' || methods.has(key)) continue;
      methods.set(key, Reflect.get(store, key) as Method);
    }
  }
  return methods;
}
