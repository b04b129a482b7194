/** Limits of the service: per caller, per tenant and in total. The library has none of them. */

export interface ServiceLimits {
  /** Requests per minute of one principal; 0: unlimited. The next two likewise. */
  readonly principalRate: number;
  /** Requests per minute from one address, before authentication. */
  readonly addressRate: number;
  /** Wrong credentials per minute from one address. */
  readonly failureRate: number;
  /**
   * Milliseconds in which a request must arrive completely. Its headers have a quarter of that, and never more than 15
   * seconds.
   */
  readonly receiveMs: number;
  /** Timeout of an operation in milliseconds. 0: none. */
  readonly answerMs: number;
  /** Connections at once; 0: as many as the system allows. */
  readonly connections: number;
  /** Requests in flight, of all tenants. */
  readonly inFlight: number;
  /** Requests in flight, of one tenant. */
  readonly tenantInFlight: number;
  /** The same while other tenants ask too. */
  readonly sharedInFlight: number;
  /** Milliseconds that a request waits for a slot. */
  readonly queueMs: number;
  /** Concurrent streams of one principal. */
  readonly streams: number;
  /**
   * Milliseconds by which the event loop may be late (99th percentile of a second), three seconds in a row; 0: not checked.
   * The next two likewise.
   */
  readonly loopDelayMs: number;
  /** Bytes of the JavaScript heap. */
  readonly heapBytes: number;
  /** Bytes of memory of the process. */
  readonly rssBytes: number;
}

/** Without rate limits: callers without authentication are on this machine, and would only limit themselves. */
export const DEFAULT_SERVICE_LIMITS: ServiceLimits = {
  principalRate: 0,
  addressRate: 0,
  failureRate: 0,
  receiveMs: 60_000,
  answerMs: 120_000,
  connections: 10_000,
  inFlight: 512,
  tenantInFlight: 256,
  // Enough to keep a disk and a local model busy. Other requests wait for these, and for no more.
  sharedInFlight: 2,
  queueMs: 10_000,
  streams: 100,
  loopDelayMs: 1000,
  heapBytes: 0,
  rssBytes: 0,
};

/** With authentication: far more than a working program needs, far less than guessing does. */
export const DEFAULT_RATES = { principalRate: 12_000, addressRate: 30_000, failureRate: 60 } as const;
