/** Administration: keys, and erasure of people and tenants. */

export const adminOperations = {} as const;
