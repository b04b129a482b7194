/** Semantic memory: what is so. */

export const semanticOperations = {} as const;
