/**
 * The names of keys in Redis. All begin with a prefix, which separates databases that share a Redis. All of a tenant carry
 * its id, in braces: a cluster then keeps a tenant on one node, where a script can reach all of it.
 */

export interface RedisKeys {
  /** The tenants that ever had something here. */
  readonly tenants: string;
  /** The prefix of all names of a tenant. */
  readonly tenant: (tenantId: string) => string;
  /** The prefix of a tenant's values. */
  readonly values: (tenantId: string) => string;
  /** The prefix of a namespace's values; their keys follow. */
  readonly value: (tenantId: string, namespace: string) => string;
  /** The keys of a namespace, in order. */
  readonly index: (tenantId: string, namespace: string) => string;
  /** The namespaces of a tenant, in order. */
  readonly namespaces: (tenantId: string) => string;
  /** The last version that was given in a tenant. */
  readonly version: (tenantId: string) => string;
  /** Who moves a tenant's values here from the database at the moment. */
  readonly moving: (tenantId: string) => string;
}

/** The prefix has no character that means something in a pattern. */
export function redisKeys(prefix: string): RedisKeys {
  const tenant = (tenantId: string): string => `${prefix}:{${tenantId}}:`;
  const values = (tenantId: string): string => `${tenant(tenantId)}s:`;
  return {
    tenants: `${prefix}:tenants`,
    tenant,
    values,
    // Its length keeps apart what would read the same.
    value: (tenantId, namespace) => `${values(tenantId)}${namespace.length}:${namespace}:`,
    index: (tenantId, namespace) => `${tenant(tenantId)}k:${namespace}`,
    namespaces: (tenantId) => `${tenant(tenantId)}n`,
    version: (tenantId) => `${tenant(tenantId)}v`,
    moving: (tenantId) => `${tenant(tenantId)}m`,
  };
}
