/** Whether a target holds what its source does, by what is counted of both. */

import { TALLIED, type Tallies, type Tally } from '../../domain/archive.ts';
import { LaminaError } from '../../domain/error.ts';

type Name = keyof Tallies;

interface Difference {
  readonly name: Name;
  readonly source: Tally;
  readonly target: Tally;
}

/** Where the target does not hold exactly what the source does. */
export function differences(source: Tallies, target: Tallies): Difference[] {
  return TALLIED.flatMap((name) => {
    const difference = { name, source: source[name], target: target[name] };
    return isSame(difference) ? [] : [difference];
  });
}

function isSame({ name, source, target }: Difference): boolean {
  // Some engines want a row for everyone who is named anywhere, others for those who have written.
  if (name === 'users') return target.count >= source.count;
  return source.count === target.count && source.revisions === target.revisions;
}

/** Throws `VERSION_CONFLICT` unless the target can be the beginning of a copy of the source. */
export function assertBeginning(tenantId: string, found: readonly Difference[]): void {
  const other = found.find(({ source, target }) => target.count >= source.count);
  if (other === undefined) return;
  throw differing(
    `The target has other memory of tenant ${tenantId} than the source: ${describe(other)}. ` +
      'Erase the tenant there, or copy to a database that does not have it.',
    tenantId,
    other,
  );
}

/** Throws `VERSION_CONFLICT`. */
export function assertNoDifference(tenantId: string, [first]: readonly Difference[]): void {
  if (first === undefined) return;
  throw differing(
    `The copy of tenant ${tenantId} is not what the source holds: ${describe(first)}. ` +
      'Was either of them written to meanwhile? Stop whoever does, and copy again.',
    tenantId,
    first,
  );
}

function describe({ name, source, target }: Difference): string {
  const show = ({ count, revisions }: Tally): string =>
    source.count === target.count ? `${count} (their versions add up to ${revisions})` : String(count);
  return `${name}: ${show(source)} in the source, ${show(target)} in the target`;
}

function differing(message: string, tenantId: string, { name, source, target }: Difference): LaminaError {
  return new LaminaError('VERSION_CONFLICT', message, { details: { tenantId, collection: name, source, target } });
}
