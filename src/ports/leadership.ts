/** Which of the processes that share a database does the work that only one should do. */

export interface Campaign {
  readonly isLeader: boolean;
  /** Steps down, once the work has come to its end, and campaigns no more. */
  stop(): Promise<void>;
}

export interface Leadership {
  /**
   * Runs `lead` whenever this process is the leader, until it is not, which the signal tells, or until stopped. At any
   * moment there is at most one leader, but for the moments in which one that lost its connection has not noticed yet:
   * so the work has to bear being done twice. Should `lead` fail or end by itself, somebody is given the lead again.
   */
  campaign(lead: (signal: AbortSignal) => Promise<void>): Campaign;
}
