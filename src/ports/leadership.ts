/** Electing the leader among the processes that share a database. */

export interface Campaign {
  readonly isLeader: boolean;
  /** Steps down once the work has ended, and no longer campaigns. */
  stop(): Promise<void>;
}

export interface Leadership {
  /**
   * Runs `lead` whenever this process is the leader, until the signal says that it no longer is, or until stopped. There is
   * at most one leader at a time, except while a leader has not noticed yet that it lost its connection: so the work must
   * tolerate being done twice. If `lead` fails or ends, leadership is handed out again.
   */
  campaign(lead: (signal: AbortSignal) => Promise<void>): Campaign;
}
