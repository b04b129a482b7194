/** How well a running Lamina is. */

export const HEALTH_STATUSES = ['healthy', 'degraded', 'unhealthy'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

export interface ComponentHealth {
  readonly status: HealthStatus;
  readonly message?: string;
}

export interface HealthReport {
  /** `degraded`: it serves, but not everything; `unhealthy`: it cannot serve. */
  readonly status: HealthStatus;
  readonly latencyMs: number;
  readonly components: Readonly<Record<string, ComponentHealth>>;
}
