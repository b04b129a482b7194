/** Ctrl-C and SIGTERM: the first asks to stop, a second insists. */

/**
 * Under `npm start` one Ctrl-C arrives twice: from the terminal, and passed on by npm. What comes this soon after
 * the first is the same request.
 */
const SAME_REQUEST_MS = 1000;

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const;

/** Resolves with the first signal. From then on another one ends the process at once. */
export function untilStopped(): Promise<keyof typeof SIGNAL_NUMBERS> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const handle = (signal: keyof typeof SIGNAL_NUMBERS): void => {
      if (firstAt !== undefined && performance.now() - firstAt > SAME_REQUEST_MS) {
        process.exit(128 + SIGNAL_NUMBERS[signal]);
      }
      firstAt ??= performance.now();
      resolve(signal);
    };
    process.on('SIGINT', handle);
    process.on('SIGTERM', handle);
  });
}
