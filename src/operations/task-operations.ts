/** Task contexts: what a worker must remember while others do parts of its task. */

export const taskOperations = {} as const;
