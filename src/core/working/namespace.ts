/** The names under which state lies: texts that are equal for equal namespaces only, whatever the ids hold. */

/** Working memory of a plan. */
export function workingNamespace(planId: string): string {
  return JSON.stringify(['working', planId]);
}
