/** Those who wait for something new in a tenant. */

export class Watchers {
  readonly #byTenant = new Map<string, Set<() => void>>();
  readonly #ofAll = new Set<(tenantId: string) => void>();

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

  /** Woken for every tenant. Returns how to stop. */
  addToAll(wake: (tenantId: string) => void): () => void {
    const own = (tenantId: string): void => wake(tenantId);
    this.#ofAll.add(own);
    return () => this.#ofAll.delete(own);
  }

  wake(tenantId: string): void {
    for (const wake of this.#byTenant.get(tenantId) ?? []) wake();
    for (const wake of this.#ofAll) wake(tenantId);
  }

  wakeAll(): void {
    for (const tenantId of this.tenantIds) this.wake(tenantId);
  }
}
