/** Exit codes, which are the same for every command. */
export const ExitCode = {
  Ok: 0,
  /** The server rejected the request, or the desired state cannot be reached. */
  Failed: 1,
  /** The command line, a file or the configuration is invalid: no request was sent. */
  Usage: 2,
  /** Fairway's API or the cloud did not respond. */
  Unreachable: 3,
  /** The operation may still succeed, but did not complete within --timeout. */
  TimedOut: 4,
  /** Stopped by a signal: 128 + SIGINT. */
  Interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
