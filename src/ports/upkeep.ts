/** What background work needs that no user may do: whoever holds it answers for all users of a tenant. */

export interface Swept {
  readonly count: number;
  /** Every text that had been embedded for what is gone. */
  readonly texts: readonly string[];
}

export interface Upkeep {
  /**
   * Removes entries whose time was over at `at` (milliseconds), of whichever user, with all that is kept of them, and says
   * so in the event log. At most `limit`, in one transaction: call again until fewer are gone.
   */
  removeExpired(tenantId: string, at: number, limit: number): Promise<Swept>;
}
