/**
 * The names under which things lie in Redis. All of a tenant carry its id, in braces: a cluster then keeps a tenant on one
 * node, where a script can reach all of it.
 */

/** The tenants that have ever had something here. */
export const TENANTS = 'lamina:tenants';

/** What all names of a tenant begin with. */
export function tenantPrefix(tenantId: string): string {
  return `lamina:{${tenantId}}:`;
}

/** What the names of a tenant's values begin with. */
export function valuesPrefix(tenantId: string): string {
  return `${tenantPrefix(tenantId)}s:`;
}

/** What the names of a namespace's values begin with; their keys follow. Its length keeps apart what would read the same. */
export function valuePrefix(tenantId: string, namespace: string): string {
  return `${valuesPrefix(tenantId)}${namespace.length}:${namespace}:`;
}

/** The keys of a namespace, in order. */
export function indexKey(tenantId: string, namespace: string): string {
  return `${tenantPrefix(tenantId)}k:${namespace}`;
}

/** The namespaces of a tenant, in order. */
export function namespacesKey(tenantId: string): string {
  return `${tenantPrefix(tenantId)}n`;
}

/** The last version that was given in a tenant. */
export function versionKey(tenantId: string): string {
  return `${tenantPrefix(tenantId)}v`;
}

/** Who moves a tenant's values here from the database at the moment. */
export function movingKey(tenantId: string): string {
  return `${tenantPrefix(tenantId)}m`;
}
