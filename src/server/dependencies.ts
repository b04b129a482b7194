/** What the server needs to start. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../domain/principal.ts';
import type { Follow, Invoke } from '../operations/table.ts';
import type { HealthReport } from '../domain/health.ts';
import type { TurnPolicy } from '../domain/turn.ts';
import type { Authenticate } from './authenticate.ts';
import type { ServiceLimits } from './service-limits.ts';
import type { TlsFiles } from './tls-files.ts';

export interface LoggerOptions {
  /** A level of pino: `trace, debug, info, warn, error, fatal` or `silent`. */
  readonly level: string;
  /** Where lines go; default standard output. */
  readonly stream?: { write(line: string): void };
}

/** A traced request. */
export interface RequestSpan {
  /** The id of the trace. */
  readonly traceId: string;
  /** Runs work as part of it. */
  within<T>(work: () => T): T;
  /** The first call counts. */
  end(status: number): void;
}

/** Observes requests. The route is its pattern, never the requested path. */
export interface RequestObserver {
  /** A request begins. Null if it is not traced. */
  begin(method: string, route: string, headers: IncomingHttpHeaders): RequestSpan | null;
  /** It was answered; for a stream, when it was opened. */
  ended(record: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly durationMs: number;
  }): void;
}

export interface ServerDependencies {
  invokeAs(principal: Principal): Invoke;
  followAs(principal: Principal): Follow;
  health(): Promise<HealthReport>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  readonly observer?: RequestObserver;
  readonly version: string;
  readonly logger: LoggerOptions;
  /** Default: {@link authenticateByHeaders}, which is for loopback only. */
  readonly authenticate?: Authenticate;
  /** The most that tools may show a model. Default {@link DEFAULT_TURN_POLICY}. */
  readonly turn?: TurnPolicy;
  /** The folder of the built inspector, served at `/`. Default: `/` leads to the documentation. */
  readonly inspectorFolder?: string | undefined;
  /** Maximum bytes of a request body. Default {@link DEFAULT_BODY_LIMIT}. */
  readonly bodyLimit?: number;
  /** Default for each: {@link DEFAULT_SERVICE_LIMITS}. */
  readonly limits?: Partial<ServiceLimits> | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, or networks such as 10.0.0.0/8. Default: none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Default: plain HTTP. */
  readonly tls?: TlsFiles | undefined;
  /** How often a quiet stream sends a heartbeat and checks that it is still authorised. Default {@link HEARTBEAT_MS}. */
  readonly heartbeatMs?: number;
  /** How long an idle connection stays open when the server stops. Default {@link LAST_REQUESTS_MS}. */
  readonly lastRequestsMs?: number;
}

/** Soon enough for proxies, which give up on a silent connection after half a minute or more. */
export const HEARTBEAT_MS = 15_000;

/** Room for a full batch of ordinary memories. */
export const DEFAULT_BODY_LIMIT = 64 * 1024 * 1024;
