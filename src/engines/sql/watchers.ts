/** Those who wait for something new in a tenant. */

export class Watchers {
  readonly #byTenant = new Map<string, Set<() => void>>();

  get tenantIds(): string[] {
    return [...this.#byTenant.keys()];
  }

  /** Returns how to stop. */
  add(tenantId: string, wake: () => void): () => void {
    const watching = this.#byTenant.get(tenantId) ?? new Set();
    this.#byTenant.set(tenantId, watching);
    // The same function may watch twice.
    const own = (): void => wake();
    watching.add(own);
    return () => {
      watching.delete(own);
      if (watching.size === 0 && this.#byTenant.get(tenantId) === watching) this.#byTenant.delete(tenantId);
    };
  }

  wake(tenantId: string): void {
    for (const wake of this.#byTenant.get(tenantId) ?? []) wake();
  }

  wakeAll(): void {
    for (const tenantId of this.tenantIds) this.wake(tenantId);
  }
}
