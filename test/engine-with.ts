/** An engine of which some parts are a test's own. */

import type { Engine } from '../src/ports/engine.ts';

export function engineWith(engine: Engine, parts: Partial<Engine>): Engine {
  return {
    ...engine,
    size: () => engine.size(),
    load: () => engine.load?.() ?? {},
    check: () => engine.check(),
    close: () => engine.close(),
    ...parts,
  };
}
