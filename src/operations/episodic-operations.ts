/** Episodic memory: what happened. */

export const episodicOperations = {} as const;
