/** How much the service takes on: of one caller, of one tenant, and of all together. Policy of the service; the library has none of it. */

export interface ServiceLimits {
  /** Requests per minute of one principal; 0: as many as they like. So for the next two. */
  readonly principalRate: number;
  /** Requests per minute from one address, before anybody knows who is asking. */
  readonly addressRate: number;
  /** Credentials per minute that one address may get wrong. */
  readonly failureRate: number;
  /** Milliseconds in which a request has to arrive whole. Its headers have a quarter of that, and never more than 15 seconds. */
  readonly receiveMs: number;
  /** Milliseconds after which an operation that has not answered is answered for. 0: never. */
  readonly answerMs: number;
  /** Connections at once; 0: as many as the system allows. */
  readonly connections: number;
  /** Requests under way at once, of everybody. */
  readonly inFlight: number;
  /** Requests under way at once, of one tenant. */
  readonly tenantInFlight: number;
  /** The same while another tenant asks as well. */
  readonly sharedInFlight: number;
  /** Milliseconds that a request waits for one of those places. */
  readonly queueMs: number;
  /** Streams of one principal at once. */
  readonly streams: number;
  /** Milliseconds by which the event loop may be late (99th percentile of a second), three seconds in a row; 0: not looked at. So for the next two. */
  readonly loopDelayMs: number;
  /** Bytes of the JavaScript heap. */
  readonly heapBytes: number;
  /** Bytes of memory of the process. */
  readonly rssBytes: number;
}

/** Without rates: whoever needs no credential is on this machine, and would only get in their own way. */
export const DEFAULT_SERVICE_LIMITS: ServiceLimits = {
  principalRate: 0,
  addressRate: 0,
  failureRate: 0,
  receiveMs: 60_000,
  answerMs: 120_000,
  connections: 10_000,
  inFlight: 512,
  tenantInFlight: 256,
  // Enough to keep a disk and a local model busy. Whoever asks beside them waits for these, and for no more.
  sharedInFlight: 2,
  queueMs: 10_000,
  streams: 100,
  loopDelayMs: 1000,
  heapBytes: 0,
  rssBytes: 0,
};

/** Where callers have to prove who they are: far more than a program that works needs, far less than guessing does. */
export const DEFAULT_RATES = { principalRate: 12_000, addressRate: 30_000, failureRate: 60 } as const;
