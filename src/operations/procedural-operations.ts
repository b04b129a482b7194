/** Procedural memory: how things are done. */

export const proceduralOperations = {} as const;
