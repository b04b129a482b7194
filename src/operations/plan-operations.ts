/** Plans and plan contexts: goals under way, and the state machines behind them. */

export const planOperations = {} as const;
