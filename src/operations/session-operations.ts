/** Sessions: conversations, which may hold several plans. */

export const sessionOperations = {} as const;
