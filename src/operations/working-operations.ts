/** Working memory: JSON values under keys, shared by all who work on a plan. */

export const workingOperations = {} as const;
